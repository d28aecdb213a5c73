import { describe, expect, it } from 'vitest'
import { createAnswers } from './answers.ts'
import { sharedTurn } from './shared-turn.ts'

const answer = (text: string) => ({ text, headers: undefined, warnings: [] })

function setUp(maxBytes = 1_000_000) {
  const world = { state: '1', time: 0, made: 0 }
  const answers = createAnswers({
    state: () => Promise.resolve(world.state),
    now: () => world.time,
    maxBytes,
  })
  const read = async (key: string, size = 1) => {
    const { text } = await answers.read(key, 1000, () => {
      world.made += 1
      return Promise.resolve(answer(`${world.made}`.padEnd(size)))
    })
    return Number(text)
  }
  return { world, answers, read }
}

describe('kept answers', () => {
  it('are given again until something is committed', async () => {
    const { world, read } = setUp()
    expect([await read('a'), await read('a'), await read('b'), await read('a')]).toEqual([1, 1, 2, 1])
    world.state = '2'
    expect([await read('a'), await read('a')]).toEqual([3, 3])
  })

  it('grow old', async () => {
    const { world, read } = setUp()
    await read('a')
    world.time = 999
    expect(await read('a')).toBe(1)
    world.time = 1000
    expect(await read('a')).toBe(2)
  })

  it('are made once for all who ask meanwhile', async () => {
    const { read } = setUp()
    expect(await Promise.all([read('a'), read('a'), read('a')])).toEqual([1, 1, 1])
  })

  it('bear the state from before they were made', async () => {
    const { world, answers, read } = setUp()
    await answers.read('a', 1000, () => {
      world.state = '2'
      return Promise.resolve(answer('old'))
    })
    expect(await read('a')).toBe(1)
  })

  it('are no errors', async () => {
    const { answers, read } = setUp()
    await expect(answers.read('a', 1000, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await read('a')).toBe(1)
  })

  it('take no more room than they are given; those nobody asks for go first', async () => {
    const { world, read } = setUp(100_000)
    await read('often')
    for (let at = 0; at < 200; at += 1) {
      await read(`${at}`, 1000)
      await read('often')
    }
    const { made } = world
    await read('often')
    await read('199', 1000)
    expect(world.made).toBe(made)
    await read('0', 1000)
    expect(world.made).toBe(made + 1)
  })

  it('are not kept where one alone would take the room of many', async () => {
    const { read } = setUp(100_000)
    await read('small')
    expect([await read('large', 50_000), await read('large', 50_000), await read('small')]).toEqual([2, 3, 1])
  })
})

it('a shared turn begins after everybody who gets it has asked', async () => {
  let began = 0
  const open: (() => void)[] = []
  const turn = sharedTurn(async () => {
    const mine = (began += 1)
    await new Promise<void>((resolve) => open.push(resolve))
    return mine
  })
  const first = turn()
  const [second, third] = [turn(), turn()]
  expect(began).toBe(1)
  open[0]!()
  expect(await first).toBe(1)
  await Promise.resolve()
  const fourth = turn()
  open[1]!()
  expect(await Promise.all([second, third])).toEqual([2, 2])
  await new Promise((resolve) => setImmediate(resolve))
  open[2]!()
  expect(await fourth).toBe(3)
})
