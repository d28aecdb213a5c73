import { describe, expect, it } from 'vitest'
import { substituteVariables, variablesOf } from './variables.ts'

const variables = variablesOf({ HOST: 'example.org', EMPTY: '' })

describe('variables in texts', () => {
  it.each([
    ['at ${HOST}:${PORT:80}', 'at example.org:80', []],
    ['${EMPTY:full}|${HOST:other}|${NONE:}', '|example.org|', []],
    ['${NONE} and ${toString}', '${NONE} and ${toString}', ['NONE', 'toString']],
    ['$HOST ${1A} ${} $${HOST}', '$HOST ${1A} ${} $example.org', []],
  ])('%s becomes %s', (written, text, unset) => {
    expect(substituteVariables(written, variables)).toEqual({ text, unset })
  })

  it('are those that may be read', () => {
    const limited = variablesOf({ HOST: 'h', APP_A: 'a', APP: 's' }, ['APP_*'])
    expect(['HOST', 'APP_A', 'APP'].map(limited)).toEqual([undefined, 'a', undefined])
  })
})
