import { existsSync } from 'node:fs'
import { dirname, join, matchesGlob } from 'node:path'

/** Code whose mistakes would be expensive, and the tests that should notice them. */
export interface Area {
  name: string
  /** Globs of its files. */
  sources: readonly string[]
  /** Tests that run first, because they're close and fast. */
  near: readonly string[]
  /** Run only if the first tests pass. */
  far: readonly string[]
}

export const AREAS: readonly Area[] = [
  {
    name: 'access',
    sources: ['src/bot/access/*.ts', 'src/features/access/rules/*.ts'],
    near: ['test/bot/access', 'test/features/access'],
    far: ['test/bot/workspaces', 'test/bot/pipeline'],
  },
  {
    name: 'pipeline',
    sources: ['src/bot/*.ts', 'src/bot/request/*.ts'],
    near: ['test/bot/pipeline', 'test/bot/request'],
    far: [
      'test/bot/windows',
      'test/bot/forms',
      'test/reads-write-nothing.test.ts',
      'test/bot/access',
      'test/bot/grammar',
      'test/fairness',
    ],
  },
  {
    name: 'grammar',
    sources: [
      'src/bot/grammar/*.ts',
      'src/bot/routes/*.ts',
      'src/domain/dates/*.ts',
      'src/domain/typed-text/*.ts',
    ],
    near: ['test/bot/grammar', 'test/domain', 'test/bot/typed'],
    far: ['test/bot/pipeline', 'test/features/watching'],
  },
  {
    name: 'orders',
    sources: [
      'src/features/cert-orders/rules/**/*.ts',
      'src/features/cert-orders/place-order.ts',
      'src/features/cert-orders/submit-order.ts',
    ],
    near: [
      'test/features/cert-orders/rules',
      'test/features/cert-orders/csr',
      'test/features/cert-orders/lifecycle.test.ts',
      'test/features/cert-orders/judge-answer.test.ts',
      'test/features/cert-orders/place-order.test.ts',
    ],
    far: ['test/features/cert-orders'],
  },
  {
    name: 'lists',
    sources: ['src/bot/views/list-page.ts'],
    near: ['test/features/cert-orders/listing.test.ts', 'test/bot/views'],
    far: ['test/features/cert-orders'],
  },
  {
    name: 'changes',
    sources: [
      'src/features/health-checks/rules/*.ts',
      'src/features/health-checks/write/*.ts',
      'src/features/health-checks/many/*.ts',
    ],
    near: ['test/features/health-checks/rules', 'test/features/health-checks/many'],
    far: ['test/features/health-checks'],
  },
  {
    name: 'incidents',
    sources: ['src/features/watching/rules/**/*.ts', 'src/domain/outages/*.ts'],
    near: ['test/features/watching/rules', 'test/features/watching/one-card.test.ts'],
    far: ['test/features/watching'],
  },
  {
    name: 'watches',
    sources: [
      'src/features/watching/save-watch.ts',
      'src/features/watching/find-watches-to-end.ts',
      'src/bot/acts.ts',
      'src/bot/posts/send-files.ts',
    ],
    near: ['test/bot/acts', 'test/bot/posts/send-files.test.ts'],
    far: ['test/features/watching', 'test/bot/pipeline'],
  },
  {
    name: 'threats',
    sources: ['src/features/threats/rules/*.ts'],
    near: ['test/features/threats/rules', 'test/features/threats/cases'],
    far: ['test/features/threats'],
  },
  {
    name: 'rules',
    sources: [
      'src/features/alerts/rules/*.ts',
      'src/features/connection/rules/*.ts',
      'src/features/help/rules/*.ts',
    ],
    near: [
      'test/features/alerts',
      'test/domain/recipients.test.ts',
      'test/features/connection',
      'test/features/help',
    ],
    far: ['test/service', 'test/bot/workspaces'],
  },
  {
    name: 'service',
    sources: ['src/service/*.ts'],
    near: ['test/service'],
    far: ['test/bot/request', 'test/features/health-checks'],
  },
  {
    name: 'secrets',
    sources: ['packages/durable/src/secrets/*.ts'],
    near: ['test/durable/secrets'],
    far: ['test/durable', 'test/cli'],
  },
  {
    name: 'ledger',
    sources: ['packages/durable/src/work/*.ts', 'packages/durable/src/engine/*.ts'],
    near: ['test/durable/work', 'test/durable/engine'],
    far: ['test/durable', 'test/app/store.test.ts', 'test/bot/jobs', 'test/bot/posts'],
  },
  {
    name: 'audit',
    sources: ['packages/durable/src/audit/*.ts'],
    near: ['test/durable/audit'],
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
    near: [
      'test/bot/install/uninstalling.test.ts',
      'test/bot/install/reinstalling.test.ts',
      'test/bot/workspaces',
      'test/durable/audit',
      'test/durable/backup.test.ts',
      'test/cli/erase.test.ts',
    ],
    far: ['test/durable', 'test/cli', 'test/e2e/erase-in-flight.test.ts'],
  },
]

const ROOT = join(import.meta.dirname, '../..')

/** The area of a single file: its tests are those of the area that has it, or those of the folder with the same name. */
export function findArea(file: string): Area {
  const area = AREAS.find(({ sources }) => sources.some((source) => matchesGlob(file, source)))
  if (area) return { ...area, name: file, sources: [file] }
  // `src/bot/posts/outbox.ts` is tested by `test/bot/posts`, and `packages/slack/src/client/…` by `test/slack/client` or its package.
  const [, name, rest = file.replace(/^src\//, '')] = /^packages\/(\w+)\/src\/(.*)/.exec(file) ?? []
  const folders = name === undefined ? ['test'] : [`test/${name}`, `packages/${name}/test`]
  for (let folder = dirname(rest); ; folder = dirname(folder)) {
    const near = folders.map((top) => join(top, folder)).filter((path) => existsSync(join(ROOT, path)))
    if (near.length > 0 && (folder !== '.' || name !== undefined))
      return { name: file, sources: [file], near, far: [] }
    if (folder === '.') throw new Error(`No folder of tests belongs to ${file}.`)
  }
}
