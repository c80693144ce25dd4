import { describe, expect, it } from 'vitest'
import { findVerbOfLine, resolveOwn, splitCommand } from '../../../src/bot/routes/lines.ts'
import type { Verbs } from '../../../src/bot/routes/read-line.ts'
import { loadVerbs } from '../grammar/real-verbs.ts'

/** Undefined if the line has an error. */
function resolve(routes: Verbs, line: string) {
  try {
    return resolveOwn(routes, splitCommand(line))
  } catch {
    return undefined
  }
}

describe('every verb', () => {
  it('is found by both `findVerbOfLine` and `resolveOwn`', async () => {
    const routes = await loadVerbs()
    const findVerb = (line: string) => findVerbOfLine(routes, line)
    const typed = routes.verbs.map(({ command, verb }) => `/${command} ${verb}`.trim())
    const unusual = [
      '/hc',
      '/hc --env ote',
      '/hc web-*',
      '/hc "list up"',
      '/hc LIST x',
      '/hc undelte x',
      '/nobody x',
    ]
    for (const line of [...typed, ...unusual]) {
      expect(findVerb(line), line).toBe(resolve(routes, line)?.verb)
      if (!line.includes('--env'))
        expect(findVerb(`${line} --env ote`)?.verb, line).toBe(findVerb(line)?.verb)
    }
  })

  it.each([
    { line: '/hc list', isAct: false },
    { line: '/hc list --share', isAct: true },
    { line: '/hc list "--share"', isAct: false },
    { line: '/threat 7e57ed00-0000-4000-8000-00000000000a', isAct: false },
    { line: '/hc env', isAct: false },
    { line: '/hc env ote', isAct: true },
    { line: '/hc audit', isAct: false },
    { line: '/hc audit --export', isAct: true },
    { line: '/hc frobnicate', isAct: false },
    { line: '/hc undelte x', isAct: false },
  ])('runs $line as an act: $isAct', async ({ line, isAct }) => {
    expect(resolve(await loadVerbs(), line)?.isAct ?? false).toBe(isAct)
  })
})
