//! HTML reports in a browser: Chromium without a window, if there is one on this machine.

use std::env;
use std::path::PathBuf;

use serde_json::json;

use super::models::{Named, compared, page, page_of};
use crate::support::browser::Browser;
use crate::support::command::ckdiff;
use crate::support::written::floats;

/// A page in a file, in a browser.
struct Opened {
    browser: Browser,
    path: PathBuf,
    _dir: tempfile::TempDir,
}

impl Opened {
    /// `None` if there is no browser.
    fn new(page: &str) -> Option<Self> {
        let browser = Browser::start()?;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("report.html");
        std::fs::write(&path, page).unwrap();
        let opened = Self { browser, path, _dir: dir };
        opened.go("");
        Some(opened)
    }

    fn go(&self, hash: &str) {
        self.browser.open(&self.path, hash);
    }

    fn number(&self, expression: &str) -> f64 {
        let value = self.browser.eval(&format!("return {expression}"));
        value.as_f64().unwrap_or_else(|| panic!("{expression} is {value}"))
    }

    fn text(&self, expression: &str) -> String {
        let value = self.browser.eval(&format!("return {expression}"));
        value.as_str().unwrap_or_else(|| panic!("{expression} is {value}")).to_owned()
    }

    #[track_caller]
    fn assert_silent(&self) {
        assert_eq!(self.browser.console(), [""; 0]);
    }
}

const SHOWN: &str = "document.getElementById('shown').textContent";
const ROWS: &str = "document.querySelectorAll('#table tbody tr[id]').length";

/// The content of a column of the first rows.
fn column(opened: &Opened, at: usize) -> Vec<String> {
    let rows = "[...document.querySelectorAll('#table .block tbody tr[id]')].slice(0, 500)";
    let cells =
        opened.browser.eval(&format!("return {rows}.map((tr) => tr.cells[{at}].textContent)"));
    cells.as_array().unwrap().iter().map(|cell| cell.as_str().unwrap().to_owned()).collect()
}

/// The number of the layer in a name.
fn layer(name: &str) -> u32 {
    name.split(['_', '/']).find_map(|part| part.parse().ok()).unwrap()
}

/// The numbers of tensors of which a page is opened.
fn sizes() -> Vec<usize> {
    // All of them take minutes.
    let is_full = env::var_os("CKDIFF_BROWSER_FULL").is_some();
    [1_000, 20_000].into_iter().chain(is_full.then_some(100_000)).collect()
}

#[test]
fn a_page_of_any_size_opens_on_its_answer_and_is_sorted_searched_and_linked() {
    for count in sizes() {
        let Some(opened) = Opened::new(&page_of(count, 8)) else { return };
        let browser = &opened.browser;
        browser.wait_for("performance.getEntriesByName('first-contentful-paint').length");
        let paint =
            opened.number("performance.getEntriesByName('first-contentful-paint')[0].startTime");
        assert!(paint < 1_000.0, "{count} tensors: the answer took {paint} ms");
        assert!(
            opened.text("document.querySelector('h1').innerText").contains("weights") || count > 0
        );
        assert_eq!(opened.number(ROWS), count as f64);

        // Sorted, up and down.
        for (column_at, name) in [(6, "rel l2"), (0, "tensor")] {
            let button = format!("document.querySelectorAll('#columns button')[{column_at}]");
            assert_eq!(opened.text(&format!("{button}.textContent")), name);
            for _ in 0..2 {
                browser.eval(&format!("{button}.click()"));
                let order = opened.text(&format!("{button}.closest('th').ariaSort"));
                let mut cells = column(&opened, column_at);
                if order == "descending" {
                    cells.reverse();
                }
                let number =
                    |text: &String| text.trim_end_matches('%').parse::<f64>().unwrap_or(-1.0);
                match column_at {
                    6 => assert!(cells.is_sorted_by_key(number), "{order}: {cells:?}"),
                    _ => assert!(cells.is_sorted_by_key(|name| layer(name)), "{order}: {cells:?}"),
                }
            }
        }

        // Searched: one layer of five tensors.
        let last = count / 5 - 1;
        browser.eval("document.activeElement.blur()");
        browser.press("/");
        browser.press(&format!("LAYER_{last}/"));
        browser.wait_for(&format!("{SHOWN} === '5 of {}'", grouped(count)));
        assert_eq!(opened.number(ROWS), 5.0);

        // A link to a tensor, to one that the filter hides.
        let name = "bert/encoder/layer_1/attention/self/query/kernel";
        browser.eval(&format!("location.hash = 'tensor={name}'"));
        browser.wait_for("document.querySelector('td.open')");
        opened.go(&format!("#tensor={name}"));
        browser.wait_for("document.querySelector('td.open')");
        assert_eq!(opened.text("document.querySelector('tr.at th').textContent"), name);
        let pictures = opened.number("document.querySelectorAll('td.open svg').length");
        let tables = opened.number("document.querySelectorAll('td.open figure table').length");
        assert!(pictures >= 4.0 && tables >= 5.0, "{pictures} pictures, {tables} tables");
        let top = opened.number("document.querySelector('tr.at').getBoundingClientRect().top");
        assert!((-1.0..800.0).contains(&top), "it is at {top}");
        opened.assert_silent();
    }
}

/// With commas: `1,000`.
fn grouped(count: usize) -> String {
    format!("{},{:03}", count / 1_000, count % 1_000)
}

#[test]
fn keys_open_and_close_tensors() {
    let Some(opened) = Opened::new(&page_of(50, 8)) else { return };
    let browser = &opened.browser;
    let is_open = "Boolean(document.querySelector('td.open'))";
    browser.press("jj");
    assert_eq!(opened.number("[...document.querySelectorAll('#table tbody tr[id]')].indexOf(document.querySelector('tr.at'))"), 1.0);
    browser.press("k\u{e007}");
    browser.wait_for(is_open);
    assert!(opened.text("location.hash").starts_with("#tensor="));
    browser.press("\u{e00c}");
    assert_eq!(browser.eval(&format!("return {is_open}")), false);
    browser.press("?");
    browser.wait_for("document.querySelector('dialog').open");
    browser.press("\u{e00c}");
    browser.wait_for("!document.querySelector('dialog').open");
    browser.press("/zzz");
    browser.wait_for("!document.querySelector('.empty').hidden");
    browser.press("\u{e00c}\u{e00c}");
    browser.wait_for(&format!("{SHOWN} === '50'"));
    opened.assert_silent();
}

#[test]
fn filters_show_what_they_name() {
    let run = ckdiff(&["retrain/baseline.ckpt", "retrain/retrained.ckpt", "--format", "html"]);
    let Some(opened) = Opened::new(run.text()) else { return };
    let choose = |id: &str, value: &str| {
        opened.browser.eval(&format!(
            "const f = document.getElementById('{id}'); f.value = '{value}'; f.dispatchEvent(new Event('input', {{ bubbles: true }}))"
        ));
    };
    for (id, value, shown) in [
        ("status", "removed", "3 of 23"),
        ("status", "NaN", "1 of 23"),
        ("status", "", "23"),
        ("role", "optimizer", "2 of 23"),
        ("role", "", "23"),
        ("scope", "model/encoder", "8 of 23"),
    ] {
        choose(id, value);
        opened.browser.wait_for(&format!("{SHOWN} === '{shown}'"));
    }
    opened.browser.eval("document.getElementById('clear').click()");
    opened.browser.wait_for(&format!("{SHOWN} === '23'"));
    opened.browser.eval("document.querySelector('.tree a').click()");
    opened.browser.wait_for("document.getElementById('scope').value !== ''");
    opened.assert_silent();
}

#[test]
fn links_to_what_is_not_there_say_so() {
    let Some(opened) = Opened::new(&page_of(50, 8)) else { return };
    let said = "document.querySelector('.said')";
    for (hash, text) in [
        ("tensor=nosuch", "There is no tensor nosuch in this page."),
        ("t0123456789ab", "The tensor of this link is not in this page."),
        ("scope=no/such", "No tensor of this page is in the scope no/such."),
        ("scope=bert/encoder", ""),
    ] {
        opened.browser.eval(&format!("location.hash = '{hash}'"));
        opened.browser.wait_for(&format!("{said}.textContent === '{text}'"));
        assert_eq!(opened.browser.eval(&format!("return {said}.hidden")), text.is_empty());
    }
    opened.assert_silent();
}

#[test]
fn the_hits_of_a_search_are_on_the_screen() {
    let run = ckdiff(&["retrain/baseline.ckpt", "retrain/retrained.ckpt", "--format", "html"]);
    let Some(opened) = Opened::new(run.text()) else { return };
    opened.browser.resize(1_000, 700);
    opened.browser.press("/kernel");
    opened.browser.wait_for(&format!("{SHOWN} === '7 of 23'"));
    let bottom = "[...document.querySelectorAll('#table tbody tr[id]')].at(-1).getBoundingClientRect().bottom";
    assert!(opened.number(bottom) <= opened.number("innerHeight"));
    opened.assert_silent();
}

#[test]
fn no_cell_is_cut() {
    let run = ckdiff(&["retrain/baseline.ckpt", "retrain/retrained.ckpt", "--format", "html"]);
    let Some(opened) = Opened::new(run.text()) else { return };
    let cut = "[...document.querySelectorAll('#table tbody tr[id] > *')].filter((cell) => cell.scrollWidth > cell.clientWidth + 1 || getComputedStyle(cell).textOverflow === 'ellipsis').length";
    for (media, width) in [("", 360), ("", 720), ("", 1000), ("", 1280), ("print", 718)] {
        opened.browser.emulate(media, "light");
        opened.browser.resize(width, 800);
        assert_eq!(opened.number(cut), 0.0, "{media} {width}");
    }
    opened.assert_silent();
}

#[test]
fn a_page_fits_dark_and_narrow_screens_and_paper() {
    let Some(opened) = Opened::new(&page_of(700, 8)) else { return };
    let browser = &opened.browser;
    let background = "getComputedStyle(document.body).backgroundColor";
    assert_eq!(opened.text(background), "rgb(255, 255, 255)");
    browser.emulate("", "dark");
    assert_eq!(opened.text(background), "rgb(20, 23, 27)");
    for width in [360, 768, 1280] {
        browser.resize(width, 800);
        browser.eval("document.querySelector('#table tbody a').click()");
        let used = opened.number("document.documentElement.scrollWidth");
        assert!(used <= f64::from(width), "{used} of {width} pixels");
        browser.eval("document.querySelector('#table tbody a').click()");
    }
    browser.emulate("print", "light");
    let printed = opened.number(
        "[...document.querySelectorAll('#table tbody tr[id]')].filter((tr) => tr.checkVisibility()).length",
    );
    assert_eq!(printed, 500.0);
    assert_eq!(browser.eval("return document.getElementById('filters').checkVisibility()"), false);
    assert_eq!(browser.eval("return document.querySelector('.print').checkVisibility()"), true);
    opened.assert_silent();
}

#[test]
fn a_hostile_report_runs_no_script() {
    let names = [
        "<script>window.hacked = 1</script>",
        "</script><script>window.hacked = 1</script>",
        "<img src=x onerror='window.hacked = 1'>",
        "\"><svg onload=\"window.hacked = 1\">",
        "<!--",
        "]]>",
        "</style><script>window.hacked = 1</script>",
    ];
    let tensors = |value: f32| -> Vec<Named> {
        names.iter().map(|name| ((*name).to_owned(), floats(&[value, 1.0]))).collect()
    };
    let page = page(&compared(&tensors(1.0), &tensors(2.0)));
    // Text that is not escaped, in a page whose names are.
    let broken = page.replace(
        "</main>",
        "<script>window.hacked = 1</script><p id=end onclick=\"window.hacked = 1\"></p></main>",
    );
    for (page, is_silent) in [(&page, true), (&broken, false)] {
        let Some(opened) = Opened::new(page) else { return };
        opened
            .browser
            .eval("document.querySelectorAll('#table tbody a').forEach((a) => a.click())");
        opened.browser.wait_for("document.querySelector('td.open')");
        opened.browser.eval("document.getElementById('end')?.click()");
        assert_eq!(opened.browser.eval("return window.hacked === undefined"), true);
        let shown = column(&opened, 0);
        assert!(names.iter().all(|name| shown.iter().any(|row| row == name)), "{shown:?}");
        // The policy says in the console what it did not run.
        assert_eq!(opened.browser.console().is_empty(), is_silent);
    }
}

/// The images in docs/: the page of a retrained model, and one of its tensors. With `CKDIFF_SCREENSHOTS`, they are taken again
/// (`pngquant 64` and `optipng` make them small);
/// without it, both pages are opened as they are there.
#[test]
fn the_images_in_the_docs_can_be_taken_again() {
    let rules =
        ["--rules", "same-start", "training/seeds/1", "training/seeds/2", "--format", "html"];
    let retrained = ["retrain/baseline.ckpt", "retrain/retrained.ckpt", "--format", "html"];
    for (name, args, hash, scheme, height) in [
        ("report-light", &rules[..], "", "light", 1_000),
        ("tensor-dark", &retrained[..], "#tensor=model/attention/kernel", "dark", 760),
    ] {
        let Some(opened) = Opened::new(ckdiff(args).text()) else { return };
        opened.browser.resize(1_180, height);
        opened.browser.emulate("", scheme);
        opened.go(hash);
        opened.assert_silent();
        let image = opened.browser.screenshot();
        let size = opened.browser.eval("return [innerWidth, innerHeight]");
        assert_eq!(size, json!([1_180, height]));
        assert!(image.starts_with(b"\x89PNG"));
        if env::var_os("CKDIFF_SCREENSHOTS").is_some() {
            std::fs::create_dir_all("docs/images").unwrap();
            std::fs::write(format!("docs/images/{name}.png"), image).unwrap();
        }
    }
}
