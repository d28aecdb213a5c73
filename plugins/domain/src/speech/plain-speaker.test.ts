import { describe, expect, it } from 'vitest'
import type { Definition } from '../definition/schema/definition.ts'
import { fallbacks, readAcceptLanguage } from './accept-language.ts'
import { localesOf } from './locales.ts'
import { plainSpeaker } from './plain-speaker.ts'

const definition = (label: Readonly<Record<string, string>>): Definition => ({
  name: 'shop',
  version: '1',
  resources: { Order: { object: { total: { type: 'money', label } } } },
})

describe('readAcceptLanguage', () => {
  it('orders ranges by their weight, equal ones as they are written', () => {
    expect(readAcceptLanguage('fr;q=0.5, de-AT , en;q=0.5,*;q=0').map(({ range }) => range)).toEqual([
      'de-AT',
      'fr',
      'en',
      '*',
    ])
  })

  it.each(['de;q=2', 'de;q=0.1234', 'german_de', 'de;level=1', 'de fr', '123456789'])(
    'takes nothing from %j, which is not well formed',
    (header) => expect(readAcceptLanguage(header)).toEqual([]),
  )
})

it('fallbacks shortens a tag, and past a single letter with what it introduces', () => {
  expect(fallbacks('zh-Hant-CN-x-private')).toEqual(['zh-hant-cn-x-private', 'zh-hant-cn', 'zh-hant', 'zh'])
})

it('localesOf finds the locales of texts, and none in what a field says of itself', () => {
  expect(
    localesOf({
      label: { de: 'Laden', fr: 'Boutique' },
      object: { label: { type: 'string' }, detail: 'text' },
    }),
  ).toEqual(['de', 'fr'])
})

describe('plain localizer', () => {
  const { locale, text } = plainSpeaker({
    definition: definition({ de: 'Summe', 'pt-BR': 'Soma', en: 'Sum' }),
  })
  const resolved = (header?: string) => {
    const { locale: asked, localeResolved } = locale(header)
    return [asked, localeResolved]
  }

  it.each([
    [undefined, 'en', 'en'],
    ['', 'en', 'en'],
    ['de', 'de', 'de'],
    ['de-AT, en;q=0.9', 'de-AT', 'de'],
    ['PT-br', 'PT-br', 'pt-BR'],
    ['pt', 'pt', 'en'],
    ['ja, de;q=0.5', 'ja', 'de'],
    ['ja', 'ja', 'en'],
    ['*', 'en', 'en'],
    ['*, de', 'en', 'en'],
    ['de;q=0, *', 'en', 'en'],
    ['de;q=0, de-AT', 'de-AT', 'en'],
    ['en;q=0', 'en', 'en'],
    ['de;q=x', 'en', 'en'],
  ])('[L2] negotiates %j', (header, asked, found) => expect(resolved(header)).toEqual([asked, found]))

  it('[L3] takes the default, and then the first there is, where a text lacks the locale', () => {
    expect(text({ fr: 'Bonjour', en: 'Hello' }, locale('de'))).toBe('Hello')
    expect(text({ fr: 'Bonjour', it: 'Ciao' }, locale('de'))).toBe('Bonjour')
    expect(text({ fr: 'Bonjour', en: 'Hello' }, locale('de, fr'))).toBe('Bonjour')
    expect(text('Hello', locale('de'))).toBe('Hello')
    expect(text(undefined, locale('de'))).toBeUndefined()
  })

  it('remembers what a header came to', () => {
    expect(locale('de')).toBe(locale('de'))
    for (let at = 0; at < 2000; at += 1) locale(`de;q=0.5, x-${at}`)
    expect(resolved('de')).toEqual(['de', 'de'])
  })
})
