import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { loadAppRoutes } from '../docs/app-routes.ts'
import { findVerbFile, generateCommandsPage, PAGE } from '../docs/commands-page.ts'

it('lists the handler of every command, button, and form', async () => {
  const expected = `${generateCommandsPage(await loadAppRoutes()).trimEnd()}\n`
  const page = await readFile(PAGE, 'utf8')
  expect(page === expected, 'docs/commands.md is out of date: run npm run generate').toBe(true)
})

it('fails if a verb is registered by no file or by several files', async () => {
  const [verb] = (await loadAppRoutes()).verbs
  if (!verb) throw new Error('The app has no verbs.')
  const unregistered = { ...verb, command: 'hc', verb: 'frobnicate' }
  const source = { file: 'a/commands.ts', text: "line: '/hc frobnicate'" }
  expect(() => findVerbFile([], unregistered)).toThrow('is in none')
  expect(() => findVerbFile([source, { ...source, file: 'b/commands.ts' }], unregistered)).toThrow(
    'a/commands.ts and b',
  )
  expect(findVerbFile([source], unregistered)).toBe('a/commands.ts')
})
