import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const PACKAGE = join(import.meta.dirname, '..')
const TSC = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
const TYPES = join(dirname(createRequire(import.meta.url).resolve('@types/node/package.json')), '..')

/** The modules with what a person can do, in the order of the page. */
const PERSON_MODULES = [
  'message-actions',
  'link-actions',
  'element-actions',
  'modal-actions',
  'observer',
  'step-actions',
  'user',
]

/** Returns the generated declarations of a module, as the package contains them. */
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
    const files = ['driver', 'fixture', ...['answer', ...PERSON_MODULES].map((name) => `driving/${name}`)]
    const texts = new Map(
      files.map((name) => [name, readFileSync(join(folder, 'src', `${name}.d.ts`), 'utf8')]),
    )
    return (name) => texts.get(name) ?? ''
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const withoutImports = (text: string): string => text.replace(/import\("[^"]+"\)\./g, '')

/** The members of the object that a `create…` function returns, by name, each with the comment above it. */
function membersOf(text: string): Map<string, string> {
  const [, body = ''] = /export declare function create[\s\S]*?\): \{\n([\s\S]*?)^\};/m.exec(text) ?? []
  const members = new Map<string, string>()
  let comment = ''
  let member = ''
  for (const line of body.split('\n')) {
    const words = line.trim()
    if (/^(\/\*\*|\*)/.test(words)) comment += `${words}\n`
    else member += `${member === '' ? '' : ' '}${words}`
    // Lines with a deeper indentation belong to the same member.
    if (!/^ {4}\S.*;$/.test(line)) continue
    const [name = ''] = /^\w+/.exec(member) ?? []
    const type = withoutImports(member.slice(0, -1)).replaceAll('; }', ' }').replaceAll(', }', ' }')
    members.set(name, comment + type)
    comment = ''
    member = ''
  }
  return members
}

/** The declaration of an interface or a type, with the comment above it. */
function declared(text: string, name: string): string {
  const lines = text.split('\n')
  const from = lines.findIndex((line) => new RegExp(`^export (interface|type) ${name}\\b`).test(line))
  if (from === -1) throw new Error(`The sources declare no ${name}.`)
  const to = lines.findIndex((line, at) => at >= from && /^(\}|export type .*;)$/.test(line))
  const begin = lines.findLastIndex((line, at) => at < from && !/^(\/\*\*| \*)/.test(line)) + 1
  return withoutImports(lines.slice(begin, to + 1).join('\n')).replace(/^ {4}/gm, '  ')
}

const block = (lines: Iterable<string>): string => ['```ts', ...lines, '```'].join('\n')

/** Renders docs/driver.md from the declarations. */
export function driverPage(): string {
  const text = declarations()
  const userMembers = membersOf(text('driving/user'))
  const modules = PERSON_MODULES.map((name) => membersOf(text(`driving/${name}`)))
  const names = new Set(modules.flatMap((members) => [...members.keys()]))
  const person = [...names].flatMap((name) =>
    userMembers.has(name) ? [modules.find((members) => members.has(name))?.get(name) ?? ''] : [],
  )
  const slack = [...membersOf(text('driver'))].filter(([name]) => name !== 'member' && name !== 'admin')
  return `# The driver

What a test can do in the playground, with types. This page is generated from the sources by \`docs/write-driver.ts\`. The types of
messages, views, and requests are part of the package (\`types/protocol.d.ts\`). The driver for Python is \`python/signalman_playground.py\`.
It has the most common of these functions, with underscores in their names, and \`act\` and \`post\` for everything else. There,
\`until\` and \`wait\` (seconds) are keyword arguments.

## Starting

\`startPlaygroundFixture(options)\` from \`@signalman/playground/fixture\` starts a playground. \`createDriver(url)\` from
\`@signalman/playground/driver\` connects to a running one.

${block([declared(text('fixture'), 'FixtureOptions'), declared(text('fixture'), 'PlaygroundFixture')])}

## Waiting

${block([declared(text('driving/answer'), 'Waiting'), declared(text('driving/answer'), 'Answer')])}

## A person

\`slack.member\`, \`slack.admin\`, or \`slack.user(id)\`.

${block([declared(text('driving/user'), 'Surface'), declared(text('driving/modal-actions'), 'ModalChoice'), declared(text('driving/message-actions'), 'PostTarget'), declared(text('driving/message-actions'), 'SentMessage'), ...person])}

## The playground itself

${block(slack.map(([, member]) => member))}
`
}
