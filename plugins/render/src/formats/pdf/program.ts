/**
 * The one program of every pdf, in Typst: it reads a document's tree as JSON and sets it. No value is ever part of it.
 */
export const PROGRAM = String.raw`
#let data = json("/document.json")
#let sheet = data.layout
#let mono = ("DejaVu Sans Mono", ..sheet.fonts)

#let picture(node) = if node.path == none { node.alt } else {
  let made = image(node.path, format: node.format, alt: node.alt, width: if node.width == none { auto } else { node.width * 1mm })
  box(made)
}

#let inline(node) = {
  let kind = node.type
  if kind == "text" { node.value }
  else if kind == "strong" { strong(node.children.map(inline).join()) }
  else if kind == "emphasis" { emph(node.children.map(inline).join()) }
  else if kind == "delete" { strike(node.children.map(inline).join()) }
  else if kind == "inlineCode" { raw(node.value) }
  else if kind == "break" { linebreak() }
  else if kind == "link" { link(node.url, node.children.map(inline).join()) }
  else if kind == "picture" { picture(node) }
  else if kind == "page" { context counter(page).display() }
  else if kind == "pages" { context str(counter(page).final().first()) }
}

#let line(nodes) = nodes.map(inline).join()

#let cell(node, alignment) = table.cell(align: if alignment == none { auto } else if alignment == "center" { center } else if alignment == "right" { right } else { left }, line(node.children))

#let row(node, aligns) = range(aligns.len()).map(at => if at < node.children.len() { cell(node.children.at(at), aligns.at(at)) } else { [] })

#let flow(node) = {
  let kind = node.type
  if kind == "paragraph" { par(line(node.children)) }
  else if kind == "heading" { heading(level: node.depth, line(node.children)) }
  else if kind == "blockquote" { quote(block: true, node.children.map(flow).join()) }
  else if kind == "list" {
    let items = node.children.map(item => {
      if item.checked != none { if item.checked { "☑ " } else { "☐ " } }
      item.children.map(flow).join()
    })
    if node.ordered { enum(tight: not node.spread, start: if node.start == none { 1 } else { node.start }, ..items) }
    else { list(tight: not node.spread, ..items) }
  }
  else if kind == "table" {
    let (head, ..rows) = node.children
    table(
      columns: node.align.len(),
      stroke: 0.5pt + luma(150),
      table.header(..row(head, node.align).map(strong)),
      ..rows.map(one => row(one, node.align)).flatten(),
    )
  }
  else if kind == "code" { block(raw(node.value)) }
  else if kind == "thematicBreak" { std.line(length: 100%, stroke: 0.5pt + luma(150)) }
  else if kind == "pageBreak" { pagebreak() }
}

#let sides(line-of) = if line-of != none {
  set text(size: 0.85em)
  grid(columns: (1fr, 1fr, 1fr), align: (left, center, right), line(line-of.left), line(line-of.center), line(line-of.right))
}

#set document(title: data.title, date: none)
#set page(
  width: sheet.width * 1mm,
  height: sheet.height * 1mm,
  margin: (top: sheet.margins.top * 1mm, right: sheet.margins.right * 1mm, bottom: sheet.margins.bottom * 1mm, left: sheet.margins.left * 1mm),
  header: sides(data.header),
  footer: sides(data.footer),
)
#set text(font: sheet.fonts, size: sheet.fontSize * 1pt, lang: data.lang, region: data.region, dir: if data.isRightToLeft { rtl } else { ltr }, fallback: false)
#show raw: set text(font: mono, fallback: false)
#show link: set text(fill: rgb("#0b57a4"))
#if data.logo != none {
  align(if data.logo.position == "center" { center } else if data.logo.position == "right" { right } else { left }, picture(data.logo))
}
#for node in data.children { flow(node) }
`
