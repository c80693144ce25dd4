import { expect, it } from 'vitest'
import { examine } from '../../src/doctor/examine.ts'
import { saveConnection } from '../write-store.ts'
import { startDeployment } from './deployment.ts'

const MANY = 51

it('says when it couldn’t check all installations and tokens', async () => {
  await using deployment = await startDeployment()
  const { world, variables } = deployment
  const { store } = world.app
  const installation = {
    kind: 'workspace',
    installedBy: 'U1',
  } as const
  const token = { token: world.sandbox.token, userId: 'U1', now: new Date() }
  for (let index = 0; index < MANY; index += 1) {
    const id = `T${String(index).padStart(2, '0')}`
    await store.installations.save({ ...installation, id, botToken: 'xoxb-none' })
    await saveConnection(store, { ...token, workspaceId: id, environment: 'production' })
  }
  await saveConnection(store, { ...token, workspaceId: 'T00', environment: 'ote' })
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
  const skipped = findings.filter(
    ({ state, part }) => state === 'skipped' && ['slack', 'service'].includes(part),
  )
  expect(skipped.map(({ message }) => message)).toEqual([
    'Checked only the first 50 of 51 installations.',
    'Only the first 50 tokens were checked.',
  ])
  // OT&E has no address, so the message names the variable instead of a host.
  expect(findings).toContainEqual(
    expect.objectContaining({
      part: 'service ote (T00)',
      message: expect.stringMatching(/API_OTE_BASE_URL isn’t/),
    }),
  )
})
