import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { expect, it } from 'vitest'
import { AREAS, findNearTests, NO_AREA } from './areas.ts'
import { EQUIVALENT_MUTANTS } from './equivalent.ts'
import { applyMutant, listMutants } from './list-mutants.ts'

const ROOT = join(import.meta.dirname, '../..')

it.each([
  { code: 'if (isOpen) close()', mutants: ['if (!(isOpen)) close()', 'if (isOpen) ;'] },
  { code: 'const a = b > 3', mutants: ['const a = b >= 3', 'const a = b > 4'] },
  { code: 'const a = (b as string) === c', mutants: ['const a = (b as string) !== c'] },
  { code: 'const a = b ?? c', mutants: ['const a = b'] },
  { code: 'const a = list.every(isFree) && true', mutants: ['||', 'some', 'false'] },
  { code: 'type A = 1 | 2', mutants: [] },
  // Object.prototype has it too.
  { code: 'const a = b.toString()', mutants: [] },
])('breaks $code in each way', ({ code, mutants }) => {
  const found = listMutants(code).map((mutant) => applyMutant(code, mutant))
  expect(found).toHaveLength(mutants.length)
  for (const mutant of mutants)
    expect(
      found.some((text) => text.includes(mutant)),
      mutant,
    ).toBe(true)
})

it.each([
  { file: 'src/features/watching/rules/decide-channel.ts', near: 'test/features/watching/rules' },
  { file: 'src/bot/posts/send-with-retries.ts', near: 'test/bot/posts' },
  { file: 'packages/durable/src/database/columns.ts', near: 'test/durable/database' },
  { file: 'packages/playground/src/api/chat.ts', near: 'packages/playground/test/api' },
])('finds the tests of $file', ({ file, near }) => {
  expect(findNearTests([file])).toContain(near)
})

it('has only areas whose sources and tests exist, and reasons for code that is still there', () => {
  for (const { sources, far = [] } of AREAS) {
    for (const source of sources) expect(globSync(source, { cwd: ROOT }), source).not.toEqual([])
    for (const test of [...findNearTests(sources), ...far])
      expect(existsSync(join(ROOT, test)), test).toBe(true)
  }
  for (const { path, code } of EQUIVALENT_MUTANTS)
    expect(readFileSync(join(ROOT, path), 'utf8'), path).toContain(code)
})

it('has an area for all rules and all code of the bot, or a reason to have none', () => {
  const globs = [...AREAS.flatMap(({ sources }) => sources), ...Object.keys(NO_AREA)]
  const files = globSync(['src/features/*/rules/**/*.ts', 'src/bot/**/*.ts'], { cwd: ROOT })
  expect(files.filter((file) => !globs.some((glob) => matchesGlob(file, glob)))).toEqual([])
  for (const glob of Object.keys(NO_AREA)) expect(globSync(glob, { cwd: ROOT }), glob).not.toEqual([])
})
