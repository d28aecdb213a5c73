import type { Assets } from './assets.ts'

/** A document that the page offers; `url` is relative to the page. */
export interface Choice {
  readonly name: string
  readonly url: string
}

/** What the page may load: its own files. Styles inside elements are the page's own too; scripts never are. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The page that shows documents and sends requests. */
export const docsPage = (choices: readonly Choice[], { address }: Assets): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API documentation</title>
<link rel="icon" type="image/png" href="${address('favicon-32x32.png')}">
<link rel="stylesheet" href="${address('swagger-ui.css')}">
<style>body { margin: 0 }</style>
</head>
<body>
<noscript>This page needs JavaScript. The document itself is at <a href="openapi.json">openapi.json</a>.</noscript>
<div id="swagger-ui" data-documents="${escaped(JSON.stringify(choices))}"></div>
<script src="${address('swagger-ui-bundle.js')}"></script>
<script src="${address('swagger-ui-standalone-preset.js')}"></script>
<script src="${address('init.js')}"></script>
</body>
</html>
`

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign]!)
