import type { Random } from '../kit/random.ts'

/** A step as it is written. */
type Step = Record<string, unknown>

interface Drawing {
  readonly random: Random
  readonly steps: Record<string, Step>
  next: number
}

/**
 * Draws a workflow whose end depends on nothing but its text and its record: branches side by side write entries of their own and
 * add to one number, and of those that race each other each rests for a time that no other does.
 */
export function drawWorkflow(random: Random): object {
  const drawing: Drawing = { random, steps: {}, next: 0 }
  const start = drawLine(drawing, 2 + random.int(3), 2, true)
  return {
    trigger: { resource: 'Task' },
    start,
    steps: drawing.steps,
    ...(random.chance(0.5) && { onError: entry('handler {$error.code}') }),
    ...(random.chance(0.3) && { timeout: { duration: '24030m', ...entry('timeout') } }),
  }
}

const entry = (text: string): Step => ({
  action: 'create',
  target: 'Entry',
  input: { text, task: '$record.id' },
})

/** Draws steps that follow each other; answers the first. What fails cancels what runs beside it, at whatever it is. */
function drawLine(drawing: Drawing, length: number, depth: number, mayFail: boolean): string {
  const names = Array.from({ length }, () => `s${(drawing.next += 1)}`)
  for (const [at, name] of names.entries()) {
    const step = drawStep(drawing, name, depth, mayFail)
    const then = names[at + 1] ?? 'end'
    drawing.steps[name] = 'decide' in step ? decided(step, then) : { ...step, then }
  }
  return names[0]!
}

const decided = ({ decide }: Step, then: string): Step => ({
  decide: (decide as readonly object[]).map((branch) => ({ ...branch, then })),
})

function drawStep(drawing: Drawing, name: string, depth: number, mayFail: boolean): Step {
  const { random } = drawing
  const simple = [
    () => entry(name),
    () => entry(name),
    () => ({ action: 'update', input: { size: '$(size + 1)' } }),
    () => ({ wait: { timeout: { duration: `${1 + random.int(20)}h` } } }),
    () => ({ decide: [{ condition: `$trigger.record.size > ${random.int(3)}` }, { default: true }] }),
    () => ({ action: 'noop' }),
    () =>
      mayFail && random.chance(0.25) ? { action: 'transition', transition: 'finish' } : { action: 'noop' },
  ]
  if (depth === 0) return random.pick(simple)()
  const branching = [
    () => ({
      parallel: {
        steps: Array.from({ length: 2 + random.int(2) }, () =>
          drawLine(drawing, 1 + random.int(2), depth - 1, false),
        ),
      },
    }),
    () => ({ parallel: { mode: 'any', steps: [1, 2, 3].map((hours) => drawRace(drawing, hours)) } }),
    () => ({
      forEach: {
        collection: `[${[1, 2, 3].slice(0, random.int(4)).join(', ')}]`,
        step: drawLine(drawing, 1 + random.int(2), depth - 1, mayFail),
      },
    }),
  ]
  return random.chance(0.5) ? random.pick(branching)() : random.pick(simple)()
}

/** A branch that ends before others that race it do. */
function drawRace(drawing: Drawing, rank: number): string {
  const [rest, write] = [`s${(drawing.next += 1)}`, `s${(drawing.next += 1)}`]
  drawing.steps[rest] = { wait: { timeout: { duration: `${rank * 30}h` } }, then: write }
  drawing.steps[write] =
    rank === 1 && drawing.random.chance(0.3)
      ? { action: 'transition', transition: 'finish', then: 'end' }
      : { ...entry(write), then: 'end' }
  return rest
}
