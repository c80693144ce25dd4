import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const PACKAGE = join(import.meta.dirname, '..')
const TSC = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
const TYPES = join(dirname(createRequire(import.meta.url).resolve('@types/node/package.json')), '..')

/** The modules that define a user's methods, in the order in which the page lists them. */
const USER_MODULES = [
  'message-actions',
  'link-actions',
  'element-actions',
  'modal-actions',
  'observer',
  'step-actions',
  'user',
]

/** Runs tsc, and returns the text of each module's .d.ts file by module name. */
function generateDeclarations(): ReadonlyMap<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'driver-'))
  const settings = {
    extends: join(PACKAGE, 'tsconfig.json'),
    include: ['driver', 'fixture'].map((name) => join(PACKAGE, `src/${name}.ts`)),
    exclude: [],
    compilerOptions: {
      rootDir: PACKAGE,
      outDir: folder,
      typeRoots: [TYPES],
      noCheck: true,
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
    },
  }
  try {
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
    execFileSync(process.execPath, [TSC, '-p', folder])
    const files = [
      'driver',
      'fixture',
      ...['answer', 'surface', ...USER_MODULES].map((name) => `driver/${name}`),
    ]
    return new Map(files.map((name) => [name, readFileSync(join(folder, 'src', `${name}.d.ts`), 'utf8')]))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const withoutImports = (text: string): string => text.replace(/import\("[^"]+"\)\./g, '')

/** Reads the members of the object that a module's `create…` function returns. Each member includes its comment. */
function readMembers(text: string): Map<string, string> {
  const [, body = ''] = /export declare function create[\s\S]*?\): \{\n([\s\S]*?)^\};/m.exec(text) ?? []
  const members = new Map<string, string>()
  let comment = ''
  let member = ''
  for (const line of body.split('\n')) {
    const trimmed = line.trim()
    if (/^(\/\*\*|\*)/.test(trimmed)) comment += `${trimmed}\n`
    else member += `${member === '' ? '' : ' '}${trimmed}`
    // A member ends with a line indented by 4 spaces. Deeper lines are inside the member.
    if (!/^ {4}\S.*;$/.test(line)) continue
    const [name = ''] = /^\w+/.exec(member) ?? []
    const type = withoutImports(member.slice(0, -1)).replaceAll('; }', ' }').replaceAll(', }', ' }')
    members.set(name, comment + type)
    comment = ''
    member = ''
  }
  return members
}

/** Finds the declaration of an interface or type, including the comment above it. */
function findDeclaration(text: string, name: string): string {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => new RegExp(`^export (interface|type) ${name}\\b`).test(line))
  if (start === -1) throw new Error(`The driver doesn't export a type named ${name}.`)
  const end = lines.findIndex((line, index) => index >= start && /^(\}|export type .*;)$/.test(line))
  const commentStart = lines.findLastIndex((line, index) => index < start && !/^(\/\*\*| \*)/.test(line)) + 1
  return withoutImports(lines.slice(commentStart, end + 1).join('\n')).replace(/^ {4}/gm, '  ')
}

const codeBlock = (lines: Iterable<string>): string => ['```ts', ...lines, '```'].join('\n')

/** Renders docs/driver.md from the driver's type declarations. */
export function renderDriverPage(): string {
  const declarations = generateDeclarations()
  const text = (module: string) => declarations.get(module) ?? ''
  const userMembers = readMembers(text('driver/user'))
  const modules = USER_MODULES.map((name) => readMembers(text(`driver/${name}`)))
  const names = new Set(modules.flatMap((members) => [...members.keys()]))
  const person = [...names].flatMap((name) =>
    userMembers.has(name) ? [modules.find((members) => members.has(name))?.get(name) ?? ''] : [],
  )
  const slack = [...readMembers(text('driver'))].filter(([name]) => name !== 'member' && name !== 'admin')
  return `# The driver

The driver lets a test act as people in the playground, and check what they see. This page lists its types; \`docs/write-driver.ts\`
generates it from the sources. The types of messages, views, and requests are in \`types/protocol.d.ts\`.

The Python driver is \`python/signalman_playground.py\`. It has the most common of these functions in snake case, and \`act\` and
\`post\` for everything else. \`until\` and \`wait\` (in seconds) are keyword arguments.

## Starting

\`startPlaygroundFixture(options)\` from \`@signalman/playground/fixture\` starts a playground. \`createDriver(url)\` from
\`@signalman/playground/driver\` connects to a running one.

${codeBlock([findDeclaration(text('fixture'), 'FixtureOptions'), findDeclaration(text('fixture'), 'PlaygroundFixture')])}

## Waiting

${codeBlock([findDeclaration(text('driver/answer'), 'Waiting'), findDeclaration(text('driver/answer'), 'Answer')])}

## A person

\`slack.member\`, \`slack.admin\`, or \`slack.user(id)\`.

${codeBlock([findDeclaration(text('driver/surface'), 'Surface'), findDeclaration(text('driver/modal-actions'), 'ModalChoice'), findDeclaration(text('driver/message-actions'), 'PostTarget'), findDeclaration(text('driver/message-actions'), 'SentMessage'), ...person])}

## The playground itself

${codeBlock(slack.map(([, member]) => member))}
`
}
