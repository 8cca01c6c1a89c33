//! Self-contained HTML pages.

use crate::document::Document;
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("html.css");

/// A section: a command's output, or why there is none.
pub struct Section {
    pub title: String,
    /// The question that the section answers.
    pub question: String,
    /// The command that prints the same, if any.
    pub command: String,
    pub content: Result<Document, String>,
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
                @match &self.content {
                    Ok(document) => div.content { (document.html()) },
                    Err(error) => p.missing { strong { "Not available: " } (error) },
                }
            }
        }
    }
}

/// A key value.
#[derive(Clone)]
pub struct Highlight {
    pub name: String,
    pub value: String,
    /// What it is and what limits it; may be empty.
    pub detail: String,
}

/// A page.
pub struct HtmlPage {
    pub subject: String,
    /// The kind of page, such as `report`.
    pub kind: &'static str,
    /// What the subject is, and the source of its parameters.
    pub summary: Vec<String>,
    /// A picture of the subject, as SVG.
    pub picture: Option<String>,
    /// Key values.
    pub highlights: Vec<Highlight>,
    pub sections: Vec<Section>,
    /// Whether the computation was interrupted.
    pub partial: bool,
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
                    style { (PreEscaped(armdyn_symbolic::typeset::STYLE)) (PreEscaped(STYLE)) (PreEscaped(self.page_footer())) }
                }
                body { main {
                    header {
                        h1 { (self.subject) }
                        @for line in &self.summary { p { (line) } }
                        @if self.partial { p.missing { strong { "Partial. " } "The computation was interrupted; this page shows the results so far." } }
                        div.overview {
                            dl.highlights { @for h in &self.highlights { div {
                                dt { (h.name) }
                                dd { (h.value) }
                                @if !h.detail.is_empty() { dd.detail { (h.detail) } }
                            } } }
                            @if let Some(svg) = &self.picture { figure.picture { (PreEscaped(svg)) } }
                        }
                        nav { @for s in &self.sections { a href={ "#" (s.anchor()) } { (s.title) } } }
                    }
                    @for s in &self.sections { (s.html()) }
                    footer { "armdyn " (env!("CARGO_PKG_VERSION")) ". " (self.footer) }
                } }
            }
        }
    }

    /// The subject at the foot of each printed page.
    fn page_footer(&self) -> String {
        // As hexadecimal escapes, any name is a valid string.
        let name: String = self.subject.chars().map(|c| format!("\\{:06x}", u32::from(c))).collect();
        format!("@page {{ @bottom-left {{ content: \"{name}\"; }} }}\n")
    }
}
