import { linkAddress, pictureReference } from '../address.ts'
import type { MarkdownNode } from '../trees.ts'
import type { BodyFaults } from './faults.ts'
import type { BodyNode } from './template.ts'
import type { Strand } from './weave.ts'

/** A link as it is written: with its address, and what is filled in there. */
export interface WrittenLink {
  readonly url: string
  readonly address: readonly BodyNode[]
  readonly title: readonly BodyNode[]
  readonly children: readonly BodyNode[]
}

/** A link; its text alone where it leads nowhere, which is told. */
export function linkOf(
  node: MarkdownNode,
  { url, address, title, children }: WrittenLink,
  faults: BodyFaults,
): readonly Strand[] {
  if (isWritten(address) && linkAddress(url) === undefined) {
    faults.warn(
      node,
      'this link leads nowhere: its text alone is shown',
      'links are http, https, mailto and tel',
    )
    return children
  }
  return [{ kind: 'link', address, title, children }]
}

/** A picture as it is written. */
export interface WrittenPicture {
  readonly url: string
  readonly address: readonly BodyNode[]
  readonly alt: readonly BodyNode[]
}

/** A picture of the domain's own; any other address is an error. */
export function pictureOf(
  node: MarkdownNode,
  { url, address, alt }: WrittenPicture,
  faults: BodyFaults,
): Strand {
  const isKnown = isWritten(address) ? pictureReference(url) !== undefined : /^(?:media|icon):/.test(url)
  if (!isKnown)
    faults.error(
      node,
      'a picture is media:<id> or icon:<set>:<name>: nothing is fetched',
      'a field shows its picture by {field | image}',
    )
  return { kind: 'picture', address, alt }
}

const isWritten = (nodes: readonly BodyNode[]): boolean => nodes.every(({ kind }) => kind === 'words')
