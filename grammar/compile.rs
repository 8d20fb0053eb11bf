//! Compiles a pest grammar into a matcher over bytes, for the build script.
//!
//! The parser that pest derives checks a call limit, saves a stack and decodes UTF-8 at every step, and stores 80 bytes
//! for each token: it takes about six times as many instructions. This compiler reads the same grammar with pest's own
//! reader (`pest_meta` parses, validates and optimizes it) and writes one function for each rule: ordered choice, greedy
//! repetition, exactly pest's meaning. `tests/it/text/syntax.rs` compares the two parsers.
//!
//! ```text
//! rule       fn(m: &mut Matcher, p: usize) -> Option<usize>     the position after the match
//! `@` `$`    m.open(RULE, p) and m.close(RULE, q) around it; rules inside an `@` rule write no tokens
//! a choice of single bytes, or a range   one test; repeated, one loop
//! ```
//! Normal rules (which skip white space implicitly), the stack and Unicode properties are refused.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Write;

use pest_meta::ast::RuleType;
use pest_meta::optimizer::{OptimizedExpr as Expr, OptimizedRule};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The bytes that match, in one step.
type Class = [bool; 256];

/// The matcher of `grammar` as Rust source, for `include!`.
///
/// A parse may start at the rules `entries`. The rules `expectations` exist for pest's errors, which name them; they
/// match without writing a token.
///
/// # Errors
/// If pest refuses the grammar, if the compiler does not support a construct, or if a name has no rule.
pub(crate) fn compile(grammar: &str, entries: &[&str], expectations: &[&str]) -> Result<String> {
    let (_, rules) = pest_meta::parse_and_optimize(grammar)
        .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
    let rules = rules.into_iter().map(|rule| (rule.name.clone(), rule)).collect();
    let mut compiler = Compiler { rules, ..Compiler::default() };
    compiler.silence(expectations)?;
    compiler.find_leaves();
    for entry in entries {
        compiler.call(entry, Mode { tokens: true, tracked: true });
    }
    while let Some((name, tokens)) = compiler.pending.pop() {
        compiler.rule(&name, tokens)?;
    }
    compiler.rule_names()?;
    Ok(compiler.out)
}

/// How an expression is compiled.
#[derive(Clone, Copy)]
struct Mode {
    /// Whether its rules write tokens. Each rule has a function with tokens and one without.
    tokens: bool,
    /// Whether its failures count for the farthest byte, if the caller's do. Those of a negative lookahead do not.
    tracked: bool,
}

impl Mode {
    /// The generic argument for calls of functions and primitives.
    fn track(self) -> &'static str {
        if self.tracked { "TRACK" } else { "false" }
    }
}

#[derive(Default)]
struct Compiler {
    rules: BTreeMap<String, OptimizedRule>,
    /// The functions that something calls: a rule, and whether it writes tokens.
    called: BTreeSet<(String, bool)>,
    /// Those of them that are not written yet.
    pending: Vec<(String, bool)>,
    labels: usize,
    out: String,
}

impl Compiler {
    /// Makes rules write no token of their own.
    fn silence(&mut self, names: &[&str]) -> Result<()> {
        let mut atomic = Vec::new();
        for name in names {
            let rule = self.rules.get_mut(*name).ok_or_else(|| format!("no rule {name}"))?;
            if rule.ty == RuleType::Atomic {
                atomic.push(rule.expr.clone());
            }
            rule.ty = RuleType::Silent;
        }
        match atomic.iter().find(|expr| self.writes_tokens(expr)) {
            Some(expr) => {
                Err(format!("tokens in an `@` rule without one of its own: {expr:?}").into())
            }
            None => Ok(()),
        }
    }

    /// Makes `$` rules without tokens inside `@` rules, whose token is written after the match.
    fn find_leaves(&mut self) {
        let is_leaf = |rule: &&OptimizedRule| {
            rule.ty == RuleType::CompoundAtomic && !self.writes_tokens(&rule.expr)
        };
        let leaves: Vec<_> =
            self.rules.values().filter(is_leaf).map(|rule| rule.name.clone()).collect();
        for name in leaves {
            if let Some(rule) = self.rules.get_mut(&name) {
                rule.ty = RuleType::Atomic;
            }
        }
    }

    /// Writes `enum Rule`, one variant for each rule that can become a token.
    fn rule_names(&mut self) -> Result<()> {
        let is_called = |rule: &&OptimizedRule| self.called.contains(&(rule.name.clone(), true));
        let visible = self.rules.values().filter(|rule| rule.ty != RuleType::Silent);
        let names: Vec<_> = visible.filter(is_called).map(|rule| camel(&rule.name)).collect();
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
        let mode = Mode { tokens, tracked: true };
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
                let (head, body) = (head(name), self.expr(&rule.expr, mode)?);
                format!(
                    "{head} m.open(Rule::{variant}, p); let q = {body}?; m.close(Rule::{variant}, q); Some(q) }}"
                )
            }
            (RuleType::Atomic, true) => {
                let head = head(name);
                let body = self.call(name, Mode { tokens: false, ..mode });
                format!(
                    "#[inline]\n{head} let q = {body}?; m.leaf(Rule::{variant}, p, q); Some(q) }}"
                )
            }
            (_, tokens) => {
                let head = head(&function(name, tokens));
                format!("#[inline]\n{head} {} }}", self.expr(&rule.expr, mode)?)
            }
        };
        writeln!(self.out, "{text}")?;
        Ok(())
    }

    /// `expr` as a Rust expression of type `Option<usize>` over `m` and `p`.
    fn expr(&mut self, expr: &Expr, mode: Mode) -> Result<String> {
        let track = mode.track();
        if let Some(class) = self.class(expr) {
            return Ok(format!("m.one::<{track}>(p, {})", test(&class)));
        }
        Ok(match expr {
            Expr::Str(text) => {
                return Err(format!("{text:?}: only single bytes are compiled").into());
            }
            Expr::Ident(name) => self.call(name, mode),
            Expr::PosPred(inner) => {
                format!("({}).map(|_| p)", self.expr(inner, Mode { tokens: false, ..mode })?)
            }
            Expr::NegPred(inner) => {
                let inner = self.expr(inner, Mode { tokens: false, tracked: false })?;
                format!("if ({inner}).is_some() {{ m.stop::<{track}>(p) }} else {{ Some(p) }}")
            }
            Expr::Seq(..) => self.sequence(expr, mode)?,
            Expr::Choice(..) => self.choice(expr, mode)?,
            Expr::Opt(inner) => {
                let (save, undo) = self.undo(inner, mode);
                let inner = self.expr(inner, mode)?;
                format!(
                    "{{ {save}if let Some(q) = {inner} {{ Some(q) }} else {{ {undo}Some(p) }} }}"
                )
            }
            Expr::Rep(inner) => self.repeat(inner, mode)?,
            Expr::Skip(stops) => {
                let mut class = [true; 256];
                for stop in stops {
                    let &[byte] = stop.as_bytes() else {
                        return Err(format!("skipping to {stop:?}: only single bytes").into());
                    };
                    set(&mut class, byte, byte, false);
                }
                format!("m.many::<{track}>(p, {})", test(&class))
            }
            other => return Err(format!("cannot compile {other:?}").into()),
        })
    }

    fn call(&mut self, name: &str, mode: Mode) -> String {
        let track = mode.track();
        match name {
            "SOI" => "(p == 0).then_some(p)".to_owned(),
            "EOI" => format!("m.end::<{track}>(p)"),
            "ANY" => format!("m.any::<{track}>(p)"),
            _ => {
                let key = (name.to_owned(), mode.tokens);
                if self.called.insert(key.clone()) {
                    self.pending.push(key);
                }
                format!("{}::<{track}>(m, p)", function(name, mode.tokens))
            }
        }
    }

    fn sequence(&mut self, expr: &Expr, mode: Mode) -> Result<String> {
        self.labels += 1;
        let label = format!("'s{}", self.labels);
        let mut out = format!("{label}: {{\n");
        let mut rest = expr;
        while let Expr::Seq(first, then) = rest {
            let first = self.expr(first, mode)?;
            writeln!(out, "let Some(p) = ({first}) else {{ break {label} None }};")?;
            rest = then;
        }
        Ok(format!("{out}{}\n}}", self.expr(rest, mode)?))
    }

    fn choice(&mut self, expr: &Expr, mode: Mode) -> Result<String> {
        let Expr::Choice(first, then) = expr else { return self.expr(expr, mode) };
        let (save, undo) = self.undo(first, mode);
        let (first, then) = (self.expr(first, mode)?, self.choice(then, mode)?);
        Ok(format!("{{ {save}if let Some(q) = {first} {{ Some(q) }} else {{ {undo}{then} }} }}"))
    }

    fn repeat(&mut self, inner: &Expr, mode: Mode) -> Result<String> {
        let track = mode.track();
        // A character other than some ASCII ones, repeated, is a byte other than those, repeated.
        if let Expr::Seq(not, any) = inner
            && let (Expr::NegPred(stops), Expr::Ident(name)) = (&**not, &**any)
            && let ("ANY", Some(stops)) = (name.as_str(), self.class(stops))
        {
            return Ok(format!("m.many::<{track}>(p, {})", test(&stops.map(|stop| !stop))));
        }
        if let Some(class) = self.class(inner) {
            return Ok(format!("m.many::<{track}>(p, {})", test(&class)));
        }
        let (save, undo) = self.undo(inner, mode);
        let inner = self.expr(inner, mode)?;
        Ok(format!(
            "{{ let mut p = p; loop {{ {save}match {inner} {{ Some(q) => p = q, None => {{ {undo}break Some(p) }} }} }} }}"
        ))
    }

    /// Code before and after an attempt that may leave tokens behind.
    fn undo(&self, expr: &Expr, mode: Mode) -> (&'static str, &'static str) {
        if mode.tokens && self.leaves_tokens(expr) {
            ("let kept = m.kept(); ", "m.forget(kept); ")
        } else {
            ("", "")
        }
    }

    /// Whether a failed attempt at `expr` may have written tokens. A leaf writes its token after the match.
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

/// A test for one byte: a comparison for up to two ranges, else a table.
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

/// The name of a rule's function.
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
