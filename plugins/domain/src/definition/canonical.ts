import { createHash } from 'node:crypto'
import { isList, isMap, type Node } from './document.ts'

/** JSON with sorted keys and no spaces: equal documents give equal text, in whatever order their keys stand. */
export function canonicalJson(node: Node): string {
  if (isList(node)) return `[${node.map(canonicalJson).join(',')}]`
  if (!isMap(node)) return JSON.stringify(node)
  const keys = Object.keys(node).toSorted()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(node[key] ?? null)}`).join(',')}}`
}

/** SHA-256 of a document, in hex. */
export const checksumOf = (node: Node): string =>
  createHash('sha256').update(canonicalJson(node)).digest('hex')
