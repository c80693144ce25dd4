import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const PACKAGE = join(import.meta.dirname, '..')
const PAGE = readFileSync(join(PACKAGE, 'docs/message-path.md'), 'utf8')

interface Row {
  file: string
  calls: string[]
}

/** The page's rows, each with its file and the functions that it names. */
const rows: Row[] = PAGE.split('\n')
  .filter((line) => line.startsWith('| `src/'))
  .map((line) => {
    const [, file = '', calls = ''] = line.split('|').map((cell) => cell.trim())
    return {
      file: file.replaceAll('`', ''),
      calls: calls.split(' → ').map((name) => name.replaceAll('`', '')),
    }
  })

/** Where a message leaves one function other than by a call of the next: over HTTP, through the app, or to a listener. */
const HANDOVERS: Readonly<Record<string, string>> = {
  send: 'useSend',
  sendPost: 'message',
  httpRequest: 'registerWebApi',
  run: 'postMessage',
  listener: 'streamEvents',
  write: 'openStream',
  flush: 'pageReducer',
  insertMessage: 'Conversation',
}

/** Returns the sources of all functions, methods, and properties with a name: the first line, and the lines that are indented further. */
function findDeclarations(source: string, name: string): string[] {
  const lines = source.split('\n')
  const declaration = new RegExp(
    `^\\s*(?:export )?(?:(?:async )?function ${name}\\b|const ${name}\\b|(?:async )?${name}\\(.*\\{$|${name}: \\S)`,
  )
  return lines.flatMap((line, start) => {
    if (!declaration.test(line)) return []
    const indent = line.search(/\S/)
    const following = lines.slice(start + 1)
    const length = following.findIndex(
      (next) => next !== '' && next.search(/\S/) <= indent && !/^\s*[})\]]/.test(next),
    )
    return [[line, ...following.slice(0, length < 0 ? undefined : length)].join('\n')]
  })
}

const calls = rows.flatMap(({ file, calls: names }) =>
  names.slice(0, -1).map((name, index) => ({ file, name, next: names[index + 1] ?? '' })),
)

it.each(calls)('$file declares $name, which uses $next', ({ file, name, next }) => {
  const source = readFileSync(join(PACKAGE, file), 'utf8')
  // Without the name itself, so that a function doesn't count as its own caller.
  const declarations = findDeclarations(source, name).map((text) => text.replace(name, ''))
  expect(declarations.filter((text) => new RegExp(`\\b${next}\\b`).test(text))).not.toEqual([])
})

it('has no gap between two rows', () => {
  const gaps = rows.slice(1).flatMap(({ calls }, index) => {
    const last = rows[index]?.calls.at(-1) ?? ''
    const next = HANDOVERS[last] ?? last
    return calls[0] === next ? [] : [`${last} isn't followed by ${calls[0]}`]
  })
  expect(gaps).toEqual([])
})

it('goes from the message field to a message on the page', () => {
  expect(rows.at(0)?.file).toBe('src/web/chat/composer.tsx')
  expect(rows.at(-1)?.file).toBe('src/web/chat/message.tsx')
})

it('counts the files until the message is in the page’s state', () => {
  const files = rows.map(({ file }) => file)
  const walk = new Set(files.slice(0, files.indexOf('src/web/state.ts') + 1))
  expect(PAGE).toContain(`after ${walk.size} files`)
})
