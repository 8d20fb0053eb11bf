//! Compiles a pest grammar into a recogniser over bytes, for the build script.
//!
//! pest's own generated parser keeps a call-limit check, a stack snapshot and a UTF-8 decoder in every step, and
//! 80 bytes for each token: a quarter of protoc's time for the matching alone. This reads the same grammar with
//! pest's own reader (`pest_meta`: parsed, validated, optimised) and writes one function for each rule: ordered
//! choice, greedy repetition, no other meaning than pest's. `tests/it/text/syntax.rs` holds the two against each other.
//!
//! ```text
//! rule       fn(m: &mut Matcher, p: usize) -> Option<usize>     the position after the match
//! `@` `$`    m.open(RULE, p), m.close(RULE, q) around it; rules called by an `@` rule write no tokens
//! a choice of single bytes, or a range   one test; repeated, one loop
//! ```
//! Left out, and refused: normal rules (they would skip white space implicitly), the stack, Unicode properties.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Write;

use pest_meta::ast::RuleType;
use pest_meta::optimizer::{OptimizedExpr as Expr, OptimizedRule};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The rules a parse may start at.
const ENTRIES: [&str; 3] = ["fields_part", "messages_part", "scalars_part"];

/// The bytes that match, in one step.
type Class = [bool; 256];

/// The recogniser of `grammar` as Rust source, for `include!`.
///
/// # Errors
/// What pest finds wrong with the grammar, or a construct this does not compile.
pub(crate) fn compile(grammar: &str) -> Result<String> {
    let (_, rules) = pest_meta::parse_and_optimize(grammar)
        .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
    let mut compiler = Compiler::default();
    for rule in &rules {
        compiler.rules.insert(rule.name.clone(), rule.clone());
    }
    for entry in ENTRIES {
        compiler.call(entry, true)?;
    }
    while let Some((name, tokens)) = compiler.due.pop() {
        compiler.rule(&name, tokens)?;
    }
    compiler.rule_names()?;
    Ok(compiler.out)
}

#[derive(Default)]
struct Compiler {
    rules: BTreeMap<String, OptimizedRule>,
    /// Functions asked for: a rule, and whether it writes tokens.
    asked: BTreeSet<(String, bool)>,
    /// Those of them not yet written.
    due: Vec<(String, bool)>,
    labels: usize,
    out: String,
}

impl Compiler {
    /// Writes `enum Rule`, one variant for each rule that can become a token.
    fn rule_names(&mut self) -> Result<()> {
        let written = |rule: &&String| self.asked.contains(&((*rule).clone(), true));
        let visible = self.rules.values().filter(|rule| rule.ty != RuleType::Silent);
        let names: Vec<_> =
            visible.map(|rule| &rule.name).filter(written).map(|name| camel(name)).collect();
        let first = names.first().ok_or("no rule becomes a token")?.clone();
        writeln!(self.out, "/// The rules of the grammar that become tokens.")?;
        writeln!(self.out, "#[derive(Clone, Copy, Debug, PartialEq, Eq)]\n#[repr(u8)]")?;
        writeln!(self.out, "pub(in super::super) enum Rule {{ {} }}", names.join(", "))?;
        writeln!(self.out, "impl Rule {{\n    /// The rule with this number.\n    #[inline]")?;
        writeln!(self.out, "    pub(super) fn of(number: u8) -> Self {{\n        match number {{")?;
        for (number, name) in names.iter().enumerate().skip(1) {
            writeln!(self.out, "            {number} => Self::{name},")?;
        }
        writeln!(self.out, "            _ => Self::{first},\n        }}\n    }}\n}}")?;
        Ok(())
    }

    /// Writes the function of one rule.
    fn rule(&mut self, name: &str, tokens: bool) -> Result<()> {
        let rule = self.rules.get(name).ok_or_else(|| format!("no rule {name}"))?.clone();
        let variant = camel(name);
        let head = |name: &str| {
            format!(
                "pub(super) fn {name}<const TRACK: bool>(m: &mut Matcher<'_>, p: usize) -> Option<usize> {{"
            )
        };
        let text = match (rule.ty, tokens) {
            (RuleType::Normal | RuleType::NonAtomic, _) => {
                return Err(format!("rule {name}: write `_`, `@` or `$` before the brace").into());
            }
            (RuleType::CompoundAtomic, false) => {
                return Err(format!("{name}: a `$` rule inside an `@` rule").into());
            }
            (RuleType::CompoundAtomic, true) => {
                let (head, body) = (head(name), self.expr(&rule.expr, true)?);
                format!(
                    "{head} m.open(Rule::{variant}, p); let q = {body}?; m.close(Rule::{variant}, q); Some(q) }}"
                )
            }
            (RuleType::Atomic, true) => {
                let (head, body) = (head(name), self.call(name, false)?);
                format!(
                    "#[inline]\n{head} let q = {body}?; m.leaf(Rule::{variant}, p, q); Some(q) }}"
                )
            }
            (_, tokens) => {
                let head = head(&function(name, tokens));
                format!("#[inline]\n{head} {} }}", self.expr(&rule.expr, tokens)?)
            }
        };
        writeln!(self.out, "{text}")?;
        Ok(())
    }

    /// `expr` as a Rust expression of type `Option<usize>` over `m` and `p`.
    fn expr(&mut self, expr: &Expr, tokens: bool) -> Result<String> {
        if let Some(class) = self.class(expr) {
            return Ok(format!("m.one::<TRACK>(p, {})", test(&class)));
        }
        Ok(match expr {
            Expr::Str(text) => {
                return Err(format!("{text:?}: only single bytes are compiled").into());
            }
            Expr::Ident(name) => self.call(name, tokens)?,
            Expr::PosPred(inner) => {
                format!("({}).map(|_| p)", self.expr(inner, false)?)
            }
            Expr::NegPred(inner) => {
                let inner = self.expr(inner, false)?.replace("::<TRACK>", "::<false>");
                format!("if ({inner}).is_some() {{ m.stop::<TRACK>(p) }} else {{ Some(p) }}")
            }
            Expr::Seq(..) => self.sequence(expr, tokens)?,
            Expr::Choice(..) => self.choice(expr, tokens)?,
            Expr::Opt(inner) => {
                let (save, undo) = self.undo(inner, tokens);
                let inner = self.expr(inner, tokens)?;
                format!(
                    "{{ {save}if let Some(q) = {inner} {{ Some(q) }} else {{ {undo}Some(p) }} }}"
                )
            }
            Expr::Rep(inner) => self.repeat(inner, tokens)?,
            Expr::Skip(stops) => {
                let mut class = [true; 256];
                for stop in stops {
                    let &[byte] = stop.as_bytes() else {
                        return Err(format!("skipping to {stop:?}: only single bytes").into());
                    };
                    set(&mut class, byte, byte, false);
                }
                format!("m.many::<TRACK>(p, {})", test(&class))
            }
            other => return Err(format!("cannot compile {other:?}").into()),
        })
    }

    fn call(&mut self, name: &str, tokens: bool) -> Result<String> {
        Ok(match name {
            "SOI" => "(p == 0).then_some(p)".to_owned(),
            "EOI" => "m.end::<TRACK>(p)".to_owned(),
            "ANY" => "m.any::<TRACK>(p)".to_owned(),
            _ => {
                let key = (name.to_owned(), tokens);
                if self.asked.insert(key.clone()) {
                    self.due.push(key);
                }
                format!("{}::<TRACK>(m, p)", function(name, tokens))
            }
        })
    }

    fn sequence(&mut self, expr: &Expr, tokens: bool) -> Result<String> {
        self.labels += 1;
        let label = format!("'s{}", self.labels);
        let mut out = format!("{label}: {{\n");
        let mut rest = expr;
        while let Expr::Seq(first, then) = rest {
            let first = self.expr(first, tokens)?;
            writeln!(out, "let Some(p) = ({first}) else {{ break {label} None }};")?;
            rest = then;
        }
        Ok(format!("{out}{}\n}}", self.expr(rest, tokens)?))
    }

    fn choice(&mut self, expr: &Expr, tokens: bool) -> Result<String> {
        let Expr::Choice(first, then) = expr else { return self.expr(expr, tokens) };
        let (save, undo) = self.undo(first, tokens);
        let (first, then) = (self.expr(first, tokens)?, self.choice(then, tokens)?);
        Ok(format!("{{ {save}if let Some(q) = {first} {{ Some(q) }} else {{ {undo}{then} }} }}"))
    }

    fn repeat(&mut self, inner: &Expr, tokens: bool) -> Result<String> {
        // A character that is not one of some ASCII ones, again and again, is a byte that is not one of them.
        if let Expr::Seq(not, any) = inner
            && let (Expr::NegPred(stops), Expr::Ident(name)) = (&**not, &**any)
            && let ("ANY", Some(stops)) = (name.as_str(), self.class(stops))
        {
            return Ok(format!("m.many::<TRACK>(p, {})", test(&stops.map(|stop| !stop))));
        }
        if let Some(class) = self.class(inner) {
            return Ok(format!("m.many::<TRACK>(p, {})", test(&class)));
        }
        let (save, undo) = self.undo(inner, tokens);
        let inner = self.expr(inner, tokens)?;
        Ok(format!(
            "{{ let mut p = p; loop {{ {save}match {inner} {{ Some(q) => p = q, None => {{ {undo}break Some(p) }} }} }} }}"
        ))
    }

    /// What to do before and after an attempt that may leave tokens behind.
    fn undo(&self, expr: &Expr, tokens: bool) -> (&'static str, &'static str) {
        if tokens && self.leaves_tokens(expr) {
            ("let kept = m.kept(); ", "m.forget(kept); ")
        } else {
            ("", "")
        }
    }

    /// Whether a failed attempt at `expr` may have written tokens: all but a leaf, which writes after it matched.
    fn leaves_tokens(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Ident(name) => self.rules.get(name).is_some_and(|rule| match rule.ty {
                RuleType::Atomic => false,
                RuleType::Silent => self.leaves_tokens(&rule.expr),
                _ => true,
            }),
            Expr::Seq(first, rest) => self.writes_tokens(first) || self.leaves_tokens(rest),
            Expr::Choice(first, rest) => self.leaves_tokens(first) || self.leaves_tokens(rest),
            Expr::Opt(inner) | Expr::Rep(inner) => self.leaves_tokens(inner),
            _ => false,
        }
    }

    fn writes_tokens(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Ident(name) => self
                .rules
                .get(name)
                .is_some_and(|rule| rule.ty != RuleType::Silent || self.writes_tokens(&rule.expr)),
            Expr::Seq(a, b) | Expr::Choice(a, b) => self.writes_tokens(a) || self.writes_tokens(b),
            Expr::Opt(inner) | Expr::Rep(inner) => self.writes_tokens(inner),
            _ => false,
        }
    }

    /// `expr` as a set of ASCII bytes, if it is one.
    fn class(&self, expr: &Expr) -> Option<Class> {
        let mut class = [false; 256];
        match expr {
            Expr::Str(text) => match text.as_bytes() {
                &[byte] => set(&mut class, byte, byte, true),
                _ => return None,
            },
            Expr::Range(from, to) => match (from.as_bytes(), to.as_bytes()) {
                (&[from], &[to]) => set(&mut class, from, to, true),
                _ => return None,
            },
            Expr::Choice(a, b) => {
                let b = self.class(b)?;
                for (one, other) in class.iter_mut().zip(self.class(a)?.iter().zip(b)) {
                    *one = *other.0 || other.1;
                }
            }
            Expr::Ident(name) => {
                let rule = self.rules.get(name).filter(|rule| rule.ty == RuleType::Silent)?;
                return self.class(&rule.expr);
            }
            _ => return None,
        }
        Some(class)
    }
}

fn set(class: &mut Class, from: u8, to: u8, value: bool) {
    for (byte, member) in (0..=u8::MAX).zip(class) {
        if (from..=to).contains(&byte) {
            *member = value;
        }
    }
}

/// A test for one byte. Few ranges are compared, more are looked up.
fn test(class: &Class) -> String {
    let mut ranges: Vec<(u8, u8)> = Vec::new();
    for (byte, _) in (0..=u8::MAX).zip(class).filter(|(_, member)| **member) {
        match ranges.last_mut() {
            Some((_, to)) if to.checked_add(1) == Some(byte) => *to = byte,
            _ => ranges.push((byte, byte)),
        }
    }
    if ranges.len() <= 2 {
        let ranges: Vec<_> = ranges.iter().map(|(from, to)| format!("{from}..={to}")).collect();
        return format!("|byte| matches!(byte, {})", ranges.join(" | "));
    }
    let table: Vec<_> = class.iter().map(|member| if *member { "true" } else { "false" }).collect();
    format!(
        "|byte| {{ const MEMBERS: &[bool; 256] = &[{}]; MEMBERS.get(usize::from(byte)) == Some(&true) }}",
        table.join(",")
    )
}

/// The function of a rule; inside an `@` rule it writes no tokens.
fn function(name: &str, tokens: bool) -> String {
    format!("{name}{}", if tokens { "" } else { "_atomic" })
}

/// `field_name` → `FieldName`.
fn camel(name: &str) -> String {
    let mut out = String::new();
    for word in name.split('_') {
        let mut letters = word.chars();
        out.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        out.push_str(letters.as_str());
    }
    out
}
