import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const PACKAGE = join(import.meta.dirname, '..')
const TSC = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
const TYPES = join(dirname(createRequire(import.meta.url).resolve('@types/node/package.json')), '..')

/** Each part of what a person does, in the order in which it is told. */
const PERSON = ['saying', 'sharing', 'pressing', 'filling', 'eyes', 'working', 'user']

/** The types of the sources, as they are packed: the compiler's own words. */
function declarations(): (name: string) => string {
  const folder = mkdtempSync(join(tmpdir(), 'driver-'))
  const settings = {
    extends: join(PACKAGE, 'tsconfig.json'),
    include: ['driver', 'fixture'].map((name) => join(PACKAGE, `src/${name}.ts`)),
    exclude: [],
    compilerOptions: {
      ...{ rootDir: PACKAGE, outDir: folder, typeRoots: [TYPES], noCheck: true },
      ...{ noEmit: false, declaration: true, emitDeclarationOnly: true },
    },
  }
  try {
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
    execFileSync(process.execPath, [TSC, '-p', folder])
    const files = ['driver', 'fixture', ...['answer', ...PERSON].map((one) => `driving/${one}`)]
    const texts = new Map(
      files.map((name) => [name, readFileSync(join(folder, 'src', `${name}.d.ts`), 'utf8')]),
    )
    return (name) => texts.get(name) ?? ''
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const plain = (text: string): string => text.replace(/import\("[^"]+"\)\./g, '')

/** The members of what a `create…` function gives, by name, each with the comment above it. */
function membersOf(text: string): Map<string, string> {
  const [, body = ''] = /export declare function create[\s\S]*?\): \{\n([\s\S]*?)^\};/m.exec(text) ?? []
  const members = new Map<string, string>()
  let comment = ''
  let member = ''
  for (const line of body.split('\n')) {
    const words = line.trim()
    if (/^(\/\*\*|\*)/.test(words)) comment += `${words}\n`
    else member += `${member === '' ? '' : ' '}${words}`
    // What stands deeper is part of one.
    if (!/^ {4}\S.*;$/.test(line)) continue
    const [name = ''] = /^\w+/.exec(member) ?? []
    members.set(name, comment + plain(member.slice(0, -1)).replaceAll('; }', ' }').replaceAll(', }', ' }'))
    comment = ''
    member = ''
  }
  return members
}

/** An interface or a type as it is declared, with the comment above it. */
function declared(text: string, name: string): string {
  const lines = text.split('\n')
  const from = lines.findIndex((line) => new RegExp(`^export (interface|type) ${name}\\b`).test(line))
  const to = lines.findIndex((line, at) => at >= from && /^(\}|export type .*;)$/.test(line))
  const begin = lines.findLastIndex((line, at) => at < from && !/^(\/\*\*| \*)/.test(line)) + 1
  return plain(lines.slice(begin, to + 1).join('\n')).replace(/^ {4}/gm, '  ')
}

const block = (lines: Iterable<string>): string => ['```ts', ...lines, '```'].join('\n')

/** The driver's reference: what can be called and awaited, with its types, from the sources. */
export function driverPage(): string {
  const text = declarations()
  const known = membersOf(text('driving/user'))
  const parts = PERSON.map((part) => membersOf(text(`driving/${part}`)))
  const names = new Set(parts.flatMap((part) => [...part.keys()]))
  const person = [...names].flatMap((name) =>
    known.has(name) ? [parts.find((part) => part.has(name))?.get(name) ?? ''] : [],
  )
  const slack = [...membersOf(text('driver'))].filter(([name]) => name !== 'member' && name !== 'admin')
  return `# The driver

What a test can do with the playground, with types. \`docs/write-driver.ts\` generates this page from the sources. The types of messages,
views, and requests come with the package (\`types/protocol.d.ts\`). The driver for Python, \`python/signalman_playground.py\`, has the same
methods with underscores in their names, and \`until\` and \`wait\` (in seconds) as keywords.

## Starting

\`startPlaygroundFixture(options)\` of \`@signalman/playground/fixture\`, or \`createDriver(url)\` of \`…/driver\` for a running playground.

${block([declared(text('fixture'), 'FixtureOptions'), declared(text('fixture'), 'PlaygroundFixture')])}

## Waiting

${block([declared(text('driving/answer'), 'Waiting'), declared(text('driving/answer'), 'Answer')])}

## A person

\`slack.member\`, \`slack.admin\`, or \`slack.user(id)\`.

${block([declared(text('driving/user'), 'Surface'), declared(text('driving/filling'), 'Windowed'), declared(text('driving/saying'), 'Writing'), declared(text('driving/saying'), 'Said'), ...person])}

## The playground itself

${block(slack.map(([, member]) => member))}
`
}
