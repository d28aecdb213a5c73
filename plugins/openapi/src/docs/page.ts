import type { Assets } from './assets.ts'
import { escaped } from './escaped.ts'

/** What the page shows: the whole server, or one of its domains; `document` is relative to the page. */
export interface Shown {
  readonly domain: string | undefined
  readonly document: string
  /** Names of all domains, to choose from. */
  readonly domains: readonly string[]
}

/** What the page may load: its own files. Styles inside elements are the page's own too; scripts never are. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** The page that shows a document and sends requests. */
export const docsPage = (shown: Shown, { address }: Assets): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(shown.domain ?? 'API')} documentation</title>
<link rel="icon" type="image/png" href="${address('favicon-32x32.png')}">
<link rel="preload" href="${escaped(shown.document)}" as="fetch" crossorigin>
<link rel="stylesheet" href="${address('swagger-ui.css')}">
<style>${STYLE}</style>
</head>
<body>
<form class="choice" action="docs">
<label for="select">Documentation of</label>
<select id="select" name="domain">
${['', ...shown.domains].map((name) => option(name, shown.domain ?? '')).join('\n')}
</select>
<noscript><button>Show</button></noscript>
<a href="${escaped(shown.document)}">openapi.json</a>
</form>
<noscript>This page needs JavaScript. The document itself is at <a href="${escaped(shown.document)}">openapi.json</a>.</noscript>
<div id="swagger-ui" data-document="${escaped(shown.document)}"></div>
<script src="${address('swagger-ui-bundle.js')}"></script>
<script src="${address('init.js')}"></script>
</body>
</html>
`

const STYLE = `
body { margin: 0; font-family: sans-serif }
.choice { display: flex; gap: 0.75rem; align-items: center; padding: 0.75rem 1.25rem; background: #1b1b1b; color: #fff }
.choice select { padding: 0.35rem 0.5rem; font: inherit }
.choice a { color: #9fd3ff; margin-left: auto }
`

const option = (name: string, chosen: string): string =>
  `<option value="${escaped(name)}"${name === chosen ? ' selected' : ''}>${escaped(name === '' ? 'Whole server' : name)}</option>`
