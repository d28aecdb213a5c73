import { type Fault, warningAt } from '../fault.ts'

/** A path in two braces, as other systems write a value; with a third one outside it is a value again. */
const DOUBLED = /(?<![{\\])\{\{\s*(\$?[A-Za-z_]\w*)((?:\.\w+)*)\s*\}\}(?!\})/g

/** Warns of a value in two braces, which write a brace: where its first name means nothing here, braces are what is meant. */
export function doubledFaults(source: string, isKnown: (name: string) => boolean): readonly Fault[] {
  return [...source.matchAll(DOUBLED)].flatMap(({ 0: written, 1: name = '', 2: rest = '', index }) =>
    isKnown(name)
      ? [warningAt(index, `'${written}' writes braces, and no value`, `write {${name}${rest}} for the value`)]
      : [],
  )
}
