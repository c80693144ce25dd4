import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { commandsPage, fileOfVerb, PAGE } from '../docs/commands-page.ts'
import { readShipped } from '../docs/shipped.ts'

it('lists every command, button, and form with its handler', async () => {
  const right = `${commandsPage(await readShipped()).trimEnd()}\n`
  const page = await readFile(PAGE, 'utf8')
  expect(page === right, 'docs/commands.md is out of date: run npm run commands').toBe(true)
})

it('fails for a verb that no file or more than one file registers', async () => {
  const [verb] = (await readShipped()).verbs
  if (!verb) throw new Error('Nothing is shipped.')
  const lost = { ...verb, command: 'hc', verb: 'frobnicate' }
  const source = { file: 'a/commands.ts', text: "typed: '/hc frobnicate'" }
  expect(() => fileOfVerb([], lost)).toThrow('no file')
  expect(() => fileOfVerb([source, { ...source, file: 'b/commands.ts' }], lost)).toThrow(
    'a/commands.ts and b',
  )
  expect(fileOfVerb([source], lost)).toBe('a/commands.ts')
})
