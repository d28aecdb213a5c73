import { among, interpolate } from '@svc/expression/contract'
import type { Params } from './speech.ts'

/** The English message of a fault, outside of any answer: for authors of definitions, and for development. */
export const sentenceOf = ({
  message,
  params,
}: {
  readonly message: string
  readonly params?: Params
}): string => (params === undefined ? message : interpolate(message, among(params)))
