import { expect, it } from 'vitest'
import { findForeignData, rememberDeployment } from '../../src/app/deployment.ts'
import { openStore } from '../../src/app/store.ts'
import { EVERYONE } from '../../src/domain/roles.ts'
import { addGrant } from '../give-role.ts'

const FIRST = { workspaceId: 'T1', botId: 'U1', serviceUrl: 'https://api.example.com' }
const OTHER = { workspaceId: 'T2', botId: 'U2', serviceUrl: 'https://other.example.com' }

it.each([
  ['the same', FIRST, []],
  [
    'another workspace',
    { ...FIRST, workspaceId: 'T2', botId: 'U2' },
    [/for the workspace T2, but .* are for T1/],
  ],
  ['another Slack app', { ...FIRST, botId: 'U2' }, [/another Slack app/]],
  ['another service', { ...FIRST, serviceUrl: OTHER.serviceUrl }, [/was https:\/\/api\.example\.com before/]],
  ['the same service', { ...FIRST, serviceUrl: 'https://API.example.com:443/' }, []],
  ['another of each', OTHER, [/for T1/, /was https:\/\/api/]],
  // Slack doesn't answer.
  ['an unknown workspace', { serviceUrl: FIRST.serviceUrl }, []],
] as const)('names what is stored for another one: %s', async (_name, current, expected) => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  await addGrant(store, 'T1', 'operator', EVERYONE, 'U0ADMIN001', new Date())
  expect(await findForeignData(store, FIRST)).toEqual([])
  await rememberDeployment(store, FIRST)
  const found = await findForeignData(store, current)
  expect(found.map(({ message }) => message)).toEqual(
    expected.map((pattern) => expect.stringMatching(pattern)),
  )
})

it('says so at each start until nothing is stored for the other workspace', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  await addGrant(store, 'T1', 'operator', EVERYONE, 'U0ADMIN001', new Date())
  await rememberDeployment(store, FIRST)
  await rememberDeployment(store, OTHER)
  expect(await findForeignData(store, OTHER)).toMatchObject([
    { fix: expect.stringContaining('erase-workspace T1 --yes') },
  ])
  // Put back: nothing is wrong but the service, which was another one in between.
  expect(await findForeignData(store, { ...FIRST, serviceUrl: OTHER.serviceUrl })).toEqual([])
  await store.eraseWorkspace('T1', 'test')
  await rememberDeployment(store, OTHER)
  expect(await findForeignData(store, OTHER)).toEqual([])
  expect(await findForeignData(store, { ...FIRST, serviceUrl: OTHER.serviceUrl })).toEqual([])
})
