//! A page to hand on, as HTML: one file, nothing beside it.

use crate::document::Document;
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("html.css");

/// What a command tells, or why it does not.
pub struct Section {
    pub title: String,
    /// The question that it answers.
    pub question: String,
    /// The command that tells the same, if that is another.
    pub command: String,
    pub told: Result<Document, String>,
}

impl Section {
    fn anchor(&self) -> String {
        self.title.to_lowercase().replace(' ', "-")
    }

    fn html(&self) -> Markup {
        html! {
            section id=(self.anchor()) {
                h2 { (self.title) }
                @if !self.question.is_empty() { p.question { (self.question) } }
                @if !self.command.is_empty() { p.command { code { (self.command) } } }
                @match &self.told {
                    Ok(page) => (page.html()),
                    Err(why) => p.missing { strong { "Left out. " } (why) },
                }
            }
        }
    }
}

/// The whole page.
pub struct HtmlPage {
    /// What it is of.
    pub subject: String,
    /// What it tells: `report`.
    pub kind: &'static str,
    /// What the subject is, and where its figures come from.
    pub summary: Vec<String>,
    /// What is worth knowing first, each with its value.
    pub figures: Vec<(String, String)>,
    pub sections: Vec<Section>,
    /// Whether it was ended early.
    pub partial: bool,
    /// What stands at its foot.
    pub footer: &'static str,
}

impl HtmlPage {
    pub fn html(&self) -> Markup {
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (self.subject) ": " (self.kind) }
                    style { (PreEscaped(armdyn_symbolic::write::STYLE)) (PreEscaped(STYLE)) }
                }
                body { main {
                    header {
                        h1 { (self.subject) }
                        @for line in &self.summary { p { (line) } }
                        @if self.partial { p.missing { strong { "Partial. " } "It was ended early: what is here is what was done by then." } }
                        dl.figures { @for (what, value) in &self.figures { div { dt { (what) } dd { (value) } } } }
                        nav { @for s in &self.sections { a href={ "#" (s.anchor()) } { (s.title) } } }
                    }
                    @for s in &self.sections { (s.html()) }
                    footer { "armdyn " (env!("CARGO_PKG_VERSION")) ". " (self.footer) }
                } }
            }
        }
    }
}
