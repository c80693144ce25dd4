import { execFile, execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import config from '../../docs/.vitepress/config.ts'
import { makeFolder } from '../databases/databases.ts'
import { ROOT } from '../source-files.ts'
import { readProse, SITE_PAGES } from './pages.ts'

const execute = promisify(execFile)
const readName = (page: string): string => basename(page, '.md')

/** Returns how to run a program offline: without a network if the system allows that, otherwise with unreachable proxies. */
function describeOfflineRun(): { command: readonly string[]; env: Record<string, string> } {
  try {
    execFileSync('unshare', ['-rn', 'true'], { stdio: 'ignore' })
    return { command: ['unshare', '-rn'], env: {} }
  } catch {
    const nowhere = 'http://127.0.0.1:9'
    return { command: ['env'], env: { http_proxy: nowhere, https_proxy: nowhere, ALL_PROXY: nowhere } }
  }
}

const folder = makeFolder()
afterAll(() => folder[Symbol.dispose]())
const readBuilt = (path: string): string => readFileSync(join(folder.path, path), 'utf8')

// The build fails on dead links.
beforeAll(async () => {
  const { command, env } = describeOfflineRun()
  const [program = '', ...before] = command
  const vitepress = join(ROOT, 'node_modules/vitepress/bin/vitepress.js')
  const args = [...before, process.execPath, vitepress, 'build', join(ROOT, 'docs'), '--outDir', folder.path]
  await execute(program, args, { env: { PATH: process.env.PATH ?? '', ...env } })
})

it.each(SITE_PAGES)('has the page %s on the site', (page) => {
  expect(readBuilt(`${readName(page)}.html`)).toContain('<h1')
})

it.each(SITE_PAGES)('has every heading that %s links to', (page) => {
  const links = [...readProse(page).matchAll(/\]\(([\w-]*)(?:\.md)?#([^)]+)\)/g)]
  const missing = links.filter(([, other, anchor]) => {
    const html = readBuilt(`${other || readName(page)}.html`)
    return !html.includes(`id="${anchor}"`)
  })
  expect(missing.map(([link]) => link)).toEqual([])
})

it('links to each page exactly once', () => {
  const groups = config.themeConfig?.sidebar
  if (!Array.isArray(groups)) throw new Error('The sidebar isn’t a list.')
  const links = groups.flatMap(({ items }) => items?.map(({ link }) => `docs${link}.md`) ?? [])
  expect(links.toSorted()).toEqual(SITE_PAGES.filter((page) => page !== 'docs/index.md').toSorted())
})

it('has a search that works without a server', () => {
  const chunks = readdirSync(join(folder.path, 'assets/chunks'))
  const index = chunks.find((name) => name.includes('localSearchIndexroot'))
  // The failure message would contain the whole index.
  expect(readBuilt(`assets/chunks/${index}`).includes('"title":"Order a certificate"')).toBe(true)
})

it('loads nothing from other sites', () => {
  for (const page of SITE_PAGES)
    expect(readBuilt(`${readName(page)}.html`)).not.toMatch(
      /<(?:script|link|img|source)[^>]*(?:src|href)="https?:/,
    )
})
