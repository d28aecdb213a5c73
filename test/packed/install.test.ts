import { describe, expect, it } from 'vitest'
import { missing } from '../../apps/setup/install.mjs'

describe('what npm start and npm test install', () => {
  it('is what the one needs for running, and everything for the other', () => {
    expect(missing('', 'running', 'lock')).toBe('running')
    expect(missing('', 'everything', 'lock')).toBe('everything')
  })

  it('is nothing where it is there', () => {
    expect(missing('running lock', 'running', 'lock')).toBeUndefined()
    expect(missing('everything lock', 'everything', 'lock')).toBeUndefined()
  })

  it('is the rest where only running was asked for before', () => {
    expect(missing('running lock', 'everything', 'lock')).toBe('everything')
  })

  it('takes nothing away from a clone that has everything', () => {
    expect(missing('everything lock', 'running', 'lock')).toBeUndefined()
    expect(missing('everything lock', 'running', 'another lock')).toBe('everything')
  })

  it('is asked anew for another lock file, and for a stamp of another form', () => {
    expect(missing('running lock', 'running', 'another lock')).toBe('running')
    expect(missing('0a1b2c', 'running', 'lock')).toBe('running')
  })
})
