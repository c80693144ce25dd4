import { existsSync } from 'node:fs'
import { dirname, join, matchesGlob } from 'node:path'

/** Code whose mistakes would be expensive, and the tests that should notice them. */
interface Area {
  name: string
  /** Globs of its files. The tests in the folders with the same names run first. */
  sources: readonly string[]
  /** Run only if the first tests pass. */
  far?: readonly string[]
}

export const AREAS: readonly Area[] = [
  {
    name: 'access',
    sources: ['src/bot/access/*.ts', 'src/features/access/rules/*.ts'],
    far: ['test/bot/workspaces', 'test/bot/pipeline'],
  },
  {
    name: 'pipeline',
    sources: ['src/bot/*.ts', 'src/bot/request/*.ts'],
    far: ['test/reads-write-nothing.test.ts', 'test/fairness'],
  },
  {
    name: 'grammar',
    sources: [
      'src/bot/grammar/*.ts',
      'src/bot/routes/*.ts',
      'src/domain/dates/*.ts',
      'src/domain/typed-text/*.ts',
    ],
    far: ['test/bot/pipeline', 'test/features/watching'],
  },
  { name: 'unread', sources: ['src/bot/unread/*.ts'] },
  {
    name: 'posts',
    sources: ['src/bot/posts/*.ts', 'src/bot/jobs/*.ts'],
    far: ['test/features/watching', 'test/features/health-checks'],
  },
  { name: 'watched', sources: ['src/features/watching/rows/*.ts'], far: ['test/e2e'] },
  {
    name: 'orders',
    sources: ['src/features/cert-orders/rules/**/*.ts', 'src/features/cert-orders/submit-order.ts'],
  },
  { name: 'lists', sources: ['src/bot/views/list-page.ts'], far: ['test/features/cert-orders'] },
  {
    name: 'changes',
    sources: [
      'src/features/health-checks/rules/*.ts',
      'src/features/health-checks/write/*.ts',
      'src/features/health-checks/bulk/*.ts',
    ],
    far: ['test/features/health-checks'],
  },
  {
    name: 'incidents',
    sources: ['src/features/watching/rules/**/*.ts', 'src/domain/outages/*.ts'],
    far: ['test/features/watching'],
  },
  {
    name: 'watches',
    sources: ['src/features/watching/save-watch.ts', 'src/features/watching/find-watches-to-end.ts'],
  },
  { name: 'threats', sources: ['src/features/threats/rules/*.ts'], far: ['test/features/threats'] },
  {
    name: 'rules',
    sources: [
      'src/features/alerts/rules/*.ts',
      'src/features/connection/rules/*.ts',
      'src/features/help/rules/*.ts',
    ],
    far: ['test/domain', 'test/service', 'test/bot/workspaces'],
  },
  {
    name: 'service',
    sources: ['src/service/*.ts'],
    far: ['test/bot/request', 'test/features/health-checks'],
  },
  { name: 'secrets', sources: ['packages/durable/src/secrets/*.ts'], far: ['test/durable', 'test/cli'] },
  {
    name: 'ledger',
    sources: ['packages/durable/src/work/*.ts', 'packages/durable/src/engine/*.ts'],
    far: ['test/durable', 'test/app/store.test.ts', 'test/bot/jobs', 'test/bot/posts'],
  },
  {
    name: 'audit',
    sources: ['packages/durable/src/audit/*.ts', 'src/bot/audit/*.ts'],
    far: ['test/durable', 'test/bot/audit'],
  },
  {
    name: 'endings',
    sources: [
      'src/bot/install/uninstalling.ts',
      'src/bot/workspaces/forget-workspace.ts',
      'packages/durable/src/audit/erase-*.ts',
      'packages/durable/src/work/delete-work.ts',
      'packages/durable/src/backup.ts',
    ],
    far: ['test/durable', 'test/cli', 'test/e2e/erase-in-flight.test.ts'],
  },
]

/** Rules and code of the bot that are in no area, and why. */
export const NO_AREA: Readonly<Record<string, string>> = {
  'src/bot/{forms,home,typed,views,windows}/*.ts':
    'What they show is seen, and what they send is checked again.',
  'src/bot/install/*.ts': 'An admin tries it once for each workspace.',
  'src/bot/retention/*.ts': 'test/bot/retention goes through all tables.',
  'src/bot/workspaces/*.ts': 'Rows and caches of them, without rules of their own.',
}

const ROOT = join(import.meta.dirname, '../..')

/** The area of a single file: itself, with the tests of the area that has it. */
export function findArea(file: string): Area {
  const area = AREAS.find(({ sources }) => sources.some((source) => matchesGlob(file, source)))
  return { ...area, name: file, sources: [file] }
}

/**
 * The folders of tests with the names of the sources' folders: `src/bot/posts/outbox.ts` is tested by `test/bot/posts`, and
 * `packages/slack/src/client/…` by `test/slack/client` or its package.
 */
export const findNearTests = (sources: readonly string[]): string[] => [
  ...new Set(sources.flatMap(findTestFolders)),
]

function findTestFolders(source: string): string[] {
  const [, name, rest = source.replace(/^src\//, '')] = /^packages\/(\w+)\/src\/(.*)/.exec(source) ?? []
  const tops = name === undefined ? ['test'] : [`test/${name}`, `packages/${name}/test`]
  for (let folder = dirname(rest); ; folder = dirname(folder)) {
    const found = tops.map((top) => join(top, folder)).filter((path) => existsSync(join(ROOT, path)))
    if (found.length > 0 && (folder !== '.' || name !== undefined)) return found
    if (folder === '.') throw new Error(`No folder of tests belongs to ${source}.`)
  }
}
