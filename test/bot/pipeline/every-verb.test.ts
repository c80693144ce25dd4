import { describe, expect, it } from 'vitest'
import { findVerbOfLine, resolveLine, splitCommand } from '../../../src/bot/routes/lines.ts'
import type { RouteTable } from '../../../src/bot/routes/routes.ts'
import { startWorld } from '../../world.ts'

/** Undefined if the line has an error. */
function resolve(routes: RouteTable, line: string) {
  try {
    return resolveLine(routes, splitCommand(line))
  } catch {
    return undefined
  }
}

describe('every verb', () => {
  it('is found by both `findVerbOfLine` and `resolveLine`', async () => {
    await using world = await startWorld()
    const { routes } = world.app
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
    await using world = await startWorld()
    expect(resolve(world.app.routes, line)?.isAct ?? false).toBe(isAct)
  })
})
