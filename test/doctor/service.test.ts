import { expect, it } from 'vitest'
import { examine } from '../../src/doctor/examine.ts'
import { saveConnection } from '../write-store.ts'
import { startDeployment } from './deployment.ts'

it('checks the tokens of every workspace, and names the variable if OTE has no address', async () => {
  await using deployment = await startDeployment()
  const { world, variables } = deployment
  const { store } = world.app
  const installation = {
    kind: 'workspace',
    installedBy: 'U1',
  } as const
  const token = { token: world.sandbox.token, userId: 'U1', now: new Date() }
  const ids = ['T00', 'T01', 'T02']
  for (const id of ids) {
    await store.installations.save({ ...installation, id, botToken: 'xoxb-none' })
    await saveConnection(store, { ...token, workspaceId: id, environment: 'production' })
  }
  await saveConnection(store, { ...token, workspaceId: 'T00', environment: 'ote' })
  await saveConnection(store, { ...token, workspaceId: 'T09', environment: 'production' })
  const findings = await examine({
    environment: {
      ...variables,
      SLACK_BOT_TOKEN: '',
      API_TOKEN: '',
      SLACK_CLIENT_ID: 'playground-client',
      SLACK_CLIENT_SECRET: 's',
      SLACK_STATE_SECRET: 'a-state-secret-of-thirty-two-signs',
    },
  })
  const parts = findings.map(({ part }) => part)
  expect(parts).toEqual(
    expect.arrayContaining(ids.flatMap((id) => [`slack ${id}`, `service production (${id})`])),
  )
  expect(findings).toContainEqual(
    expect.objectContaining({
      part: 'service ote (T00)',
      message: expect.stringMatching(/API_OTE_BASE_URL isn’t/),
    }),
  )
  expect(findings).toContainEqual(
    expect.objectContaining({
      part: 'deployment',
      message: expect.stringContaining('of T09, where the app isn’t installed'),
    }),
  )
})
