import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT, readSource } from '../source-files.ts'
import { PAGES, readProse } from './pages.ts'

const LINK = /\]\((?!https?:)([^)\s]+)\)|(?:src|srcset)="(?!https?:)([^"]+)"/g

/** The anchor that GitHub generates: lowercase, dashes for spaces, and no punctuation. */
const createSlug = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)|[`*]/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-')

const listAnchors = (page: string): Set<string> =>
  new Set([...readProse(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => createSlug(heading)))

function readTarget(page: string, link: string): { path: string; anchor: string } {
  const [path = '', anchor = ''] = link.split('#')
  return { path: path === '' ? page : normalize(join(dirname(page), path)), anchor }
}

const isDead = ({ path, anchor }: { path: string; anchor: string }): boolean =>
  !existsSync(join(ROOT, path)) || (anchor !== '' && path.endsWith('.md') && !listAnchors(path).has(anchor))

describe.each(PAGES)('the page %s', (page) => {
  const links = [...readProse(page).matchAll(LINK)].map(([, link, source]) => link ?? source ?? '')

  it('has no dead links', () => {
    expect(links.filter((link) => isDead(readTarget(page, link)))).toEqual([])
  })

  it('mentions no source file that doesn’t exist', () => {
    const text = readProse(page)
    const fullPaths = [...text.matchAll(/`((?:src|packages|test|docs|bin|bench)\/[\w./-]+)`/g)].map(
      ([, path = '']) => path,
    )
    // A folder and its files without extensions: `packages/durable/src/engine`: work-runner, take-over
    const shortLists = [
      ...text.matchAll(/`((?:src|packages)\/[\w/-]+)`: ([\w/-]+(?:, [\w/-]+)*)(?= [|→]|;)/g),
    ]
    const files = shortLists.flatMap(([, folder, names = '']) =>
      names.split(', ').map((name) => `${folder}/${name}.ts`),
    )
    // In a package's README, paths are relative to the package.
    const home = page.startsWith('packages/') ? dirname(page) : ''
    expect(
      [...fullPaths, ...files].filter(
        (path) =>
          !GENERATED.test(path) && !existsSync(join(ROOT, path)) && !existsSync(join(ROOT, home, path)),
      ),
    ).toEqual([])
  })
})

/** Links to these files aren't checked, because the files exist only after a build. */
const GENERATED = /\/dist\//

it('the architecture page mentions every source folder', () => {
  const folders = ['src', 'packages'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${folder}/${name}`),
  )
  const page = readSource('docs/architecture.md') + readSource('docs/architecture.svg')
  // src/doctor shares a box with src/cli. The others aren't part of the app.
  const exceptions = ['src/doctor', 'packages/demo', 'packages/playground', 'packages/sandbox']
  expect(folders.filter((folder) => !page.includes(folder) && !exceptions.includes(folder))).toEqual([])
})

it('the README leads to every page', () => {
  const linked = new Set(['README.md'])
  for (const page of linked)
    for (const [, link = ''] of readProse(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      const { path } = readTarget(page, link)
      if (PAGES.includes(path)) linked.add(path)
    }
  expect(PAGES.filter((page) => !linked.has(page))).toEqual([])
})

it('the docs give a reason for each dependency', () => {
  const {
    devDependencies,
    dependencies = {},
    optionalDependencies = {},
  } = JSON.parse(readSource('package.json'))
  const page = readSource('docs/dependencies.md')
  // `node-…` is one row for all packages with that prefix.
  const patterns = [...page.matchAll(/^\| (.*?) \| /gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  )
  const isNamed = (name: string) =>
    patterns.some((pattern) =>
      pattern.endsWith('…') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
    )
  const names = Object.keys({ ...devDependencies, ...dependencies, ...optionalDependencies })
  expect(names.filter((name) => !isNamed(name))).toEqual([])
})
