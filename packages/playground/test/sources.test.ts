import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const SOURCES = join(import.meta.dirname, '../src')
const COMMENT = /\/\*\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n)+/gm
/** A page of Slack's, or an issue or pull request. */
const SOURCE = /(?:docs|api)\.slack\.(?:dev|com)\/\w|github\.com\/|\w#\d+/
/** A month and a year, which the end of a line may separate. */
const DATE = /(?:Janu|Febru|March|April|May|June|July|August|Septem|Octo|Novem|Decem)\w*[\s*]+20\d\d/

it('dates every source of Slack’s behavior that a comment names', () => {
  const undated = globSync('**/*.{ts,tsx}', { cwd: SOURCES })
    .filter((file) => !file.startsWith('web/dist'))
    .flatMap((file) => {
      const comments = readFileSync(join(SOURCES, file), 'utf8').match(COMMENT) ?? []
      return comments
        .filter((comment) => SOURCE.test(comment) && !DATE.test(comment))
        .map((text) => `${file}: ${text}`)
    })
  expect(undated).toEqual([])
})
