//! One source file and its mutants.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Arm, Block, Expr, ExprBinary, ExprStruct, ExprUnary, ImplItemFn, ItemFn};

use crate::{Mutant, Position, Result};

/// The text with the mutants in it, and those that have no place there.
pub(crate) fn weave<'m>(source: &str, mutants: &'m [Mutant]) -> Result<(String, Vec<&'m Mutant>)> {
    let mut weaver = Weaver { at: BTreeMap::new(), edits: Vec::new(), woven: BTreeSet::new() };
    for mutant in mutants {
        weaver.at.entry((mutant.genre.as_str(), mutant.span.start)).or_default().push(mutant);
    }
    weaver.visit_file(&syn::parse_file(source)?);
    let Weaver { mut edits, woven, .. } = weaver;
    // Insertions, then outer ranges, so that the inner ones follow in them.
    edits.sort_by_key(|edit| (edit.range.start, !edit.range.is_empty(), std::cmp::Reverse(edit.range.end)));
    let mut text = String::new();
    render(source, 0..source.len(), &edits, &mut text);
    Ok((text, mutants.iter().filter(|mutant| !woven.contains(&mutant.index)).collect()))
}

/// A range of the source, and what stands before and after its text.
struct Edit {
    range: Range<usize>,
    before: String,
    after: &'static str,
}

/// Writes `range`, with the edits that lie in it.
fn render(source: &str, range: Range<usize>, edits: &[Edit], text: &mut String) {
    let mut position = range.start;
    let mut rest = edits;
    while let Some((edit, behind)) = rest.split_first() {
        let inner = behind.partition_point(|other| other.range.start < edit.range.end && other.range.end <= edit.range.end);
        text.push_str(&source[position..edit.range.start]);
        text.push_str(&edit.before);
        render(source, edit.range.clone(), &behind[..inner], text);
        text.push_str(edit.after);
        position = edit.range.end;
        rest = &behind[inner..];
    }
    text.push_str(&source[position..range.end]);
}

struct Weaver<'m> {
    at: BTreeMap<(&'m str, Position), Vec<&'m Mutant>>,
    edits: Vec<Edit>,
    woven: BTreeSet<usize>,
}

impl<'m> Weaver<'m> {
    /// The mutants of a genre that begin where `span` does.
    fn take(&mut self, genre: &'static str, span: Span) -> Vec<&'m Mutant> {
        let start = span.start();
        let position = Position { line: start.line, column: start.column + 1 };
        let found = self.at.get(&(genre, position)).cloned().unwrap_or_default();
        self.woven.extend(found.iter().map(|mutant| mutant.index));
        found
    }

    /// Replaces an expression by the mutated ones, each on a line of its own, for the messages of the compiler.
    fn choose(&mut self, expression: &impl ToTokens, mutated: Vec<(usize, String)>) {
        if mutated.is_empty() {
            return;
        }
        let choices: String =
            mutated.iter().map(|(index, text)| format!("\nif crate::mutant({index}) {{ {text} }} else\n")).collect();
        let range = expression.span().byte_range();
        self.edits.push(Edit { range, before: format!("({choices} {{ ("), after: ") })" });
    }

    fn body(&mut self, block: &Block) {
        let Some(first) = block.stmts.first() else { return };
        let start = first.span().byte_range().start;
        let mutants = self.take("FnValue", first.span());
        let before = mutants
            .iter()
            .map(|mutant| format!("\nif crate::mutant({}) {{ return {}; }}\n", mutant.index, mutant.replacement))
            .collect();
        self.edits.push(Edit { range: start..start, before, after: "" });
    }
}

impl Visit<'_> for Weaver<'_> {
    fn visit_item_fn(&mut self, function: &ItemFn) {
        if function.sig.constness.is_none() {
            self.body(&function.block);
            visit::visit_item_fn(self, function);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &ImplItemFn) {
        if function.sig.constness.is_none() {
            self.body(&function.block);
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_trait_item_fn(&mut self, function: &syn::TraitItemFn) {
        if let Some(block) = &function.default {
            self.body(block);
        }
        visit::visit_trait_item_fn(self, function);
    }

    // A constant cannot read a variable.
    fn visit_item_const(&mut self, _: &syn::ItemConst) {}
    fn visit_impl_item_const(&mut self, _: &syn::ImplItemConst) {}
    fn visit_item_static(&mut self, _: &syn::ItemStatic) {}
    fn visit_type(&mut self, _: &syn::Type) {}

    fn visit_expr_binary(&mut self, binary: &ExprBinary) {
        let chain = matches!(*binary.left, Expr::Let(_)) || matches!(*binary.right, Expr::Let(_));
        if !chain {
            let mutants = self.take("BinaryOperator", binary.op.span());
            let mutated = mutants.iter().map(|mutant| {
                let operator = syn::parse_str(&mutant.replacement).expect("cargo-mutants names an operator");
                (mutant.index, ExprBinary { op: operator, ..binary.clone() }.to_token_stream().to_string())
            });
            let mutated = mutated.collect();
            self.choose(binary, mutated);
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &ExprUnary) {
        let mutants = self.take("UnaryOperator", unary.op.span());
        let mutated = mutants.iter().map(|mutant| (mutant.index, unary.expr.to_token_stream().to_string())).collect();
        self.choose(unary, mutated);
        visit::visit_expr_unary(self, unary);
    }

    fn visit_expr_struct(&mut self, expression: &ExprStruct) {
        let mut mutated = Vec::new();
        for (place, field) in expression.fields.iter().enumerate() {
            for mutant in self.take("StructField", field.span()) {
                let mut without = expression.clone();
                without.fields = expression
                    .fields
                    .iter()
                    .enumerate()
                    .filter(|(other, _)| *other != place)
                    .map(|(_, field)| field.clone())
                    .collect();
                if !without.fields.is_empty() {
                    without.fields.push_punct(Default::default());
                }
                mutated.push((mutant.index, without.to_token_stream().to_string()));
            }
        }
        self.choose(expression, mutated);
        visit::visit_expr_struct(self, expression);
    }

    fn visit_arm(&mut self, arm: &Arm) {
        let deleted: String =
            self.take("MatchArm", arm.span()).iter().map(|mutant| format!("!crate::mutant({}) && ", mutant.index)).collect();
        match &arm.guard {
            Some(guard) => {
                let guarded = self.take("MatchArmGuard", guard.1.span()).iter().fold(String::new(), |text, mutant| {
                    match mutant.replacement.as_str() {
                        "true" => format!("{text}crate::mutant({}) || ", mutant.index),
                        _ => format!("{text}!crate::mutant({}) && ", mutant.index),
                    }
                });
                let range = guard.1.span().byte_range();
                self.edits.push(Edit { range, before: format!("{deleted}({guarded}("), after: "))" });
            }
            None if !deleted.is_empty() => {
                let end = arm.pat.span().byte_range().end;
                self.edits.push(Edit { range: end..end, before: format!(" if {deleted}true "), after: "" });
            }
            None => {}
        }
        visit::visit_arm(self, arm);
    }
}
