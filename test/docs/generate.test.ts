import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { expect, it } from 'vitest'
import { loadAppRoutes } from '../../docs/app-routes.ts'
import * as commands from '../../docs/commands-page.ts'
import * as orderStates from '../../docs/order-states-page.ts'
import { generateReferencePages } from '../../docs/reference-pages.ts'
import * as rights from '../../docs/rights-table.ts'
import { listFiles, ROOT, readSource } from '../source-files.ts'

const routes = await loadAppRoutes()
const references = await generateReferencePages()

it.each([
  ...references,
  [commands.PAGE, `${commands.generateCommandsPage(routes).trimEnd()}\n`],
  [orderStates.PAGE, orderStates.generateOrderStatesPage()],
  [orderStates.PICTURE, orderStates.drawOrderStates()],
  [
    rights.PAGE,
    rights.replaceTables(await readFile(rights.PAGE, 'utf8'), rights.generateRightsTables(routes.verbs)),
  ],
] as const)('has an up-to-date %s', async (file, text) => {
  const isUpToDate = (await readFile(file, 'utf8')) === text
  expect(isUpToDate, `${relative(ROOT, file)} is out of date: run npm run generate`).toBe(true)
})

it('describes each variable, metric, and limit', () => {
  expect([...references.values()].join('\n')).not.toMatch(/\| *(?:undefined|NaN)? *\|$/m)
})

it('writes every generated page with npm run generate', () => {
  // Files that write a text file when they are run.
  const writers = listFiles('docs').filter((file) =>
    /^(?:if \(import\.meta\.main\)[\s\S]*|)(?:await )?writeFile(?:Sync)?\(/m.test(readSource(file)),
  )
  expect(writers.length).toBeGreaterThan(3)
  const { scripts } = JSON.parse(readSource('package.json'))
  const missing = writers.filter((file) => !scripts.generate.includes(file.replace(/\.ts$/, '')))
  expect(missing).toEqual([])
})
