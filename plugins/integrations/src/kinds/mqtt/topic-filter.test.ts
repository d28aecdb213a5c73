import { expect, it } from 'vitest'
import { isTopicFilter } from './topic-filter.ts'

it.each(['a', 'a/b', '/', '#', '+', 'a/#', 'a/+/b', '+/+', '/+', '$share/group/a/+', ' ', 'ü/#'])(
  '8.4: %j is a filter of topics',
  (text) => expect(isTopicFilter(text)).toBe(true),
)

it.each(['a#', 'a/b#', '#/a', 'a/#/b', 'a+/b', 'a/+b', '##', '++', 'a\0b', 'x'.repeat(65_536)])(
  '8.4: %j is none',
  (text) => expect(isTopicFilter(text)).toBe(false),
)
