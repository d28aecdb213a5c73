import { escaped } from './escaped.ts'

/** What the page shows. */
export interface FrontPage {
  readonly name: string
  readonly version: string
  readonly docs: string
  readonly openapi: string
  readonly domains: readonly { readonly name: string; readonly docs: string; readonly openapi: string }[]
}

/** The page loads nothing: its style stands in it. */
export const FRONT_POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The first page of the server. */
export const frontPage = ({ name, version, docs, openapi, domains }: FrontPage): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(name)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(name)} <small>${escaped(version)}</small></h1>
<h2>Documentation</h2>
<ul>
${[{ name: 'The whole server', docs, openapi }, ...domains].map(row).join('\n')}
</ul>
</main>
</body>
</html>
`

const row = ({ name, docs, openapi }: FrontPage['domains'][number]): string =>
  `<li><a href="${escaped(docs)}">${escaped(name)}</a> <a class="raw" href="${escaped(openapi)}">openapi.json</a></li>`

const STYLE = `
:root { color-scheme: light dark; font: 1.05rem/1.6 system-ui, sans-serif }
main { max-width: 32rem; margin: 12vh auto; padding: 0 1.5rem }
h2 { font-size: 1rem; margin-top: 2.5rem }
small { font-weight: normal; opacity: 0.6 }
ul { list-style: none; padding: 0 }
li { display: flex; justify-content: space-between; padding: 0.4rem 0; border-bottom: 1px solid #8884 }
.raw { font-size: 0.85rem; opacity: 0.7 }
`
