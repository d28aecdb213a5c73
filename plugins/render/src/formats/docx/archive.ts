import { strFromU8, strToU8, unzipSync, type Zippable, zipSync } from 'fflate'

/** The first moment that an archive can hold, by the clock of wherever this runs: archives know no zones. */
const moment = (): Date => new Date(1980, 0, 1)

/** The same archive without what the library makes up each time: the time of day, the names of links, the numbers of pictures. */
export function settledArchive(bytes: Uint8Array): Uint8Array {
  const files = Object.entries(unzipSync(bytes))
  const links = new Map<string, string>()
  const texts = files.map(([name, content]): readonly [string, Uint8Array | string] =>
    /\.(?:xml|rels)$/.test(name) ? [name, strFromU8(content)] : [name, content],
  )
  for (const [, content] of texts)
    if (typeof content === 'string')
      for (const [, link = ''] of content.matchAll(/<w:hyperlink\b[^>]*? r:id="([^"]+)"/g))
        if (!links.has(link)) links.set(link, `link${links.size + 1}`)
  const settled = texts
    .map(([name, content]): [string, Zippable[string]] => [
      name,
      [
        typeof content === 'string' ? strToU8(settledText(content, links)) : content,
        { mtime: moment(), level: 6 },
      ],
    ])
    .toSorted(([a], [b]) => orderOf(a) - orderOf(b) || (a < b ? -1 : 1))
  return zipSync(Object.fromEntries(settled))
}

function settledText(text: string, links: ReadonlyMap<string, string>): string {
  let pictures = 0
  return text
    .replaceAll(/<wp:docPr id="\d+"/g, () => `<wp:docPr id="${(pictures += 1)}"`)
    .replaceAll(/ (r:id|Id)="([^"]+)"/g, (whole, name: string, id: string) => {
      const link = links.get(id)
      return link === undefined ? whole : ` ${name}="${link}"`
    })
    .replaceAll(/<dcterms:(created|modified)\b[^>]*>[^<]*<\/dcterms:\1>/g, '')
    .replaceAll(/<cp:lastModifiedBy>[^<]*<\/cp:lastModifiedBy>/g, '')
}

/** Readers look at what the types are first. */
const orderOf = (name: string): number =>
  name === '[Content_Types].xml' ? 0 : name.startsWith('_rels/') ? 1 : 2
