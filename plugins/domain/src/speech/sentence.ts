import { among, compileText } from '@svc/expression/contract'
import { templateOf } from './sentences.ts'
import type { Fault } from './speech.ts'

/** The English message of a fault, outside of any answer: for authors of definitions, and for development. */
export function sentenceOf(fault: Pick<Fault, 'rule' | 'sentence' | 'message' | 'params'>): string {
  const { message, params } = fault
  return message !== undefined && params === undefined ? message : fill(templateOf(fault), params ?? {})
}

const fill = (text: string, params: NonNullable<Fault['params']>): string => compileText(text)(among(params))
