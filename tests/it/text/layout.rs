//! The layout of `format`: each rule, a sample with every rule, and properties.

use std::fs;
use std::path::{Path, PathBuf};

use ckdiff::text::{LayoutOptions, format};
use insta::assert_snapshot;

use crate::support::damage::mutations;
use crate::support::random_text;
use crate::support::text_layout::{check_layout, comments};
use crate::support::{Random, named_snapshot};

/// The formatted text.
#[track_caller]
fn laid_out(text: &str) -> String {
    let laid_out = check_layout(text.as_bytes()).expect("the text is legal");
    String::from_utf8(laid_out).unwrap()
}

#[test]
fn a_field_has_a_line() {
    assert_snapshot!(laid_out("a:1,b :-  2;c:'x'  d: 0X1f"), @r"
    a: 1
    b: -2
    c: 'x'
    d: 0X1f
    ");
    assert_snapshot!(laid_out("m{a:1 n<b:2>}o:{}"), @r"
    m {
      a: 1
      n {
        b: 2
      }
    }
    o {
    }
    ");
    assert_snapshot!(laid_out("[ a . b ]:1 [ x.y / c.D ] < > 7 : INF"), @r"
    [a.b]: 1
    [x.y/c.D] {
    }
    7: INF
    ");
    assert_eq!(laid_out(" \n\t\r\n"), "");
    assert_eq!(laid_out("a: 1\r\nb: 2\r\n\r\n"), "a: 1\nb: 2\n");
}

#[test]
fn one_blank_line_is_kept_between_fields() {
    assert_snapshot!(laid_out("\n\na: 1\n\n\n\nb: 2\n\nm {\n\n  c: 3\n\n  d: 4\n\n}\n\n"), @r"
    a: 1

    b: 2

    m {
      c: 3

      d: 4
    }
    ");
    assert_snapshot!(laid_out("# head\n\n\n# more\na: 1 \n\n  # last\n\n\n"), @r"
    # head

    # more
    a: 1

    # last
    ");
    assert_snapshot!(laid_out("m { # c\n\n  a: 1\n\n # end\n\n}"), @r"
    m {  # c
      a: 1

      # end
    }
    ");
}

#[test]
fn comments_stay_after_and_above_their_field() {
    assert_snapshot!(laid_out("# above\n  a: 1# behind\n#below\nm { # opened\n# inside\nb: 2 } # closed"), @r"
    # above
    a: 1  # behind
    #below
    m {  # opened
      # inside
      b: 2
    }  # closed
    ");
    assert_snapshot!(laid_out("a: 1 # behind\n; # next\nb: 2"), @r"
    a: 1  # behind
    # next
    b: 2
    ");
    assert_snapshot!(laid_out("m {\n# all there is\n}\n# the end"), @r"
    m {
      # all there is
    }
    # the end
    ");
}

#[test]
fn comments_within_a_field_move_above_it() {
    assert_snapshot!(laid_out("# above\n\na # name\n: # colon\n- # minus\n5 # behind"), @r"
    # above

    # name
    # colon
    # minus
    a: -5  # behind
    ");
    assert_snapshot!(laid_out("a: 1\n\n[ a # inner\n . b ]: 2\nm # m\n{ }"), @r"
    a: 1

    # inner
    [a.b]: 2
    # m
    m {
    }
    ");
    assert_snapshot!(laid_out("a: [1,\n- # minus\n5]"), @r"
    a: [
      1,
      # minus
      -5
    ]
    ");
}

#[test]
fn literals_keep_their_lines() {
    assert_snapshot!(laid_out("a: 'x'\"y\" 'z'\nb:\n 'x'"), @r#"
    a: 'x' "y" 'z'
    b: 'x'
    "#);
    assert_snapshot!(laid_out("a: 'x'\n   'y' b: 1"), @r"
    a:
      'x'
      'y'
    b: 1
    ");
    assert_snapshot!(laid_out("a: # these\n'x' # first\n # above\n\n 'y' 'z' # last\n b: 1"), @r"
    a:  # these
      'x'  # first
      # above

      'y'
      'z'  # last
    b: 1
    ");
    assert_snapshot!(laid_out("a: ['x'\n'y', 'z']"), @r"
    a: [
      'x'
        'y',
      'z'
    ]
    ");
}

#[test]
fn lists_stay_on_their_line_or_fit_on_it() {
    assert_snapshot!(laid_out("a: [1,2 ,3] b: [ ] c [ ] d: ['x' 'y']"), @r"
    a: [1, 2, 3]
    b: []
    c []
    d: ['x' 'y']
    ");
    assert_snapshot!(laid_out("a: [\n  1,\n  2\n]"), @"a: [1, 2]");
    assert_snapshot!(laid_out("a: [1, # one\n 2 # two\n, # three\n 3\n\n # end\n] # behind"), @r"
    a: [
      1,  # one
      2,  # two
      # three
      3

      # end
    ]  # behind
    ");
    assert_snapshot!(laid_out("m [{a: 1}, <> # c\n, {}]\nn: [{ }]"), @r"
    m [
      {
        a: 1
      },
      {
      },  # c
      {
      }
    ]
    n: [
      {
      }
    ]
    ");
    let wide = |elements: usize| format!("a: [10\n{}]", ", 10".repeat(elements - 1));
    assert_eq!(laid_out(&wide(19)).lines().count(), 1);
    assert_eq!(laid_out(&wide(20)).lines().count(), 22);
    let line = wide(40).replace('\n', "");
    assert_eq!(laid_out(&line), format!("{line}\n"));
}

#[test]
fn indentation_and_width_are_options() {
    let options = LayoutOptions { indent: 4, width: 10 };
    let laid_out = format(b"m { a: [1,\n2] b: [10,\n20] }", &options).unwrap();
    assert_snapshot!(String::from_utf8(laid_out).unwrap(), @r"
    m {
        a: [
            1,
            2
        ]
        b: [
            10,
            20
        ]
    }
    ");
}

#[test]
fn illegal_texts_are_refused_with_their_location() {
    let refused = |text: &str| {
        assert_eq!(check_layout(text.as_bytes()), None);
        format(text.as_bytes(), &LayoutOptions::default()).unwrap_err().to_string()
    };
    assert_snapshot!(refused("a: 1\nb {"), @"2:4: the text ends before '{' opened at 2:3 is closed");
    assert_snapshot!(refused("a:\n  = 1"), @"2:3: expected a value, found '='");
    assert_snapshot!(refused(&"m{".repeat(1_000_000)), @"1:2002: messages are nested more than 1000 deep");
}

#[test]
fn deep_nesting_is_laid_out() {
    let text = "m{".repeat(1000) + &"}".repeat(1000);
    assert_eq!(laid_out(&text).lines().count(), 2000);
    let text = "m[{".repeat(900) + &"}]".repeat(900);
    assert_eq!(laid_out(&text).lines().count(), 3600);
}

#[test]
fn a_sample_shows_every_rule() {
    let text = fs::read_to_string("tests/data/text/commented.pbtxt").unwrap();
    named_snapshot("text_layout", "commented", &laid_out(&text));
}

/// Collects files that may hold text: `*.pbtxt` and state files.
fn texts(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            texts(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "pbtxt")
            || path.file_name().is_some_and(|name| name == "checkpoint")
        {
            found.push(path);
        }
    }
}

#[test]
fn the_properties_hold_for_every_text_of_the_corpus() {
    let mut paths = Vec::new();
    texts(Path::new("tests/data"), &mut paths);
    let laid_out = paths.iter().filter(|path| check_layout(&fs::read(path).unwrap()).is_some());
    assert!(laid_out.count() >= 80, "of {}", paths.len());
}

/// TensorFlow and protoc print text in the layout of `format`.
#[test]
fn printed_text_is_laid_out_already() {
    let mut paths = Vec::new();
    texts(Path::new("tests/data/graphs"), &mut paths);
    assert!(paths.len() >= 15, "{}", paths.len());
    for path in paths {
        let text = fs::read(&path).unwrap();
        assert!(check_layout(&text).unwrap() == text, "{}", path.display());
    }
}

#[test]
fn the_properties_hold_for_random_texts() {
    let rounds = mutations(2_000, 1) as usize;
    let mut random = Random::new(0x1a_00);
    let (mut remarks, mut refused) = (0, 0);
    for _ in 0..rounds {
        let text = random_text::text(&mut random, 3);
        laid_out(&text);
        remarks += comments(text.as_bytes()).len();
        let broken = check_layout(&random_text::broken(&text, &mut random));
        refused += usize::from(broken.is_none());
    }
    assert!(refused > rounds / 4 && refused < rounds, "{refused} of {rounds} broken texts refused");
    assert!(remarks > rounds, "{remarks} comments in {rounds} texts");
}
