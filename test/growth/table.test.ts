import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { loadAppRoutes } from '../../docs/app-routes.ts'
import { listFiles, readSource } from '../source-files.ts'
import { ONLY_PRESSED, WINDOWS } from './windows.ts'

/** What reads a text or bytes by itself, from its first argument. */
const READER =
  /^export (?:async )?(?:function |const )((?:parse|read|decode|clean|judge|contains|refang|defang|fold|split)\w*)(?: = (?:async )?)?(?:<[^(]*>)?\(\s*\w+\??: (?:string(?: \| undefined)?\b|Buffer\b|unknown\b|readonly unknown\[\]|Environment\b|Variables\b|Readonly<Record<string, string)/gm

/** Readers that others in the table call, and those of what the app itself wrote. */
const READ_OTHERWISE: Readonly<Record<string, string>> = {
  'packages/durable/src/database/disk.ts': 'files of whoever runs it',
  'packages/durable/src/secrets/keys.ts': 'a setting',
  'packages/durable/src/secrets/keys-of-database.ts': 'a setting',
  'packages/slack/src/install/install-state.ts': 'a value that the app signed',
  'packages/runtime/src/parse-json.ts': 'bodies and answers',
  'src/cli/store-from-environment.ts': 'settings',
  'src/service/lenient.ts': 'answers of the service',
  'src/bot/audit/object-text.ts': 'what the app wrote',
  'src/bot/routes/lines.ts': 'typed lines',
  'src/bot/typed/fields.ts': 'typed lines',
  'src/features/cert-orders/rules/csr/der.ts': 'requests',
  'src/features/cert-orders/rules/csr/pem.ts': 'requests',
  'src/features/cert-orders/rules/csr/request.ts': 'requests',
  'src/features/watching/silences/subject.ts': 'typed lines',
  'src/service/dates.ts': 'what the service answers, up to a few characters',
}

it('has everything that reads what others send', () => {
  const imported = listFiles('test/growth').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/from '(?:\.\.\/)+([^']+)'/g)].map(([, path = '']) => path),
  )
  const readers = ['src', 'packages/slack/src', 'packages/durable/src', 'packages/runtime/src']
    .flatMap((folder) => listFiles(folder))
    .filter((file) => readSource(file).match(READER))
  expect(readers.filter((file) => !imported.includes(file) && !(file in READ_OTHERWISE))).toEqual([])
})

it('has every window', async () => {
  const ids = (await loadAppRoutes()).forms.map(({ id }) => id)
  expect([...Object.keys(WINDOWS), ...ONLY_PRESSED].toSorted()).toEqual(ids.toSorted())
})
