import { expect, it } from 'vitest'
import { startWorld } from '../../world.ts'

it('lists the features that are off because the app lacks a permission, if any', async () => {
  await using worldWithAllScopes = await startWorld()
  expect((await worldWithAllScopes.slack.member.openHome()).text).not.toContain('Off here')
  await using world = await startWorld({ playground: { missingScopes: ['files:write'] } })
  expect((await world.slack.member.openHome()).text).toContain(
    'Off here, because the app lacks a permission: downloading exports and the HTML of reported pages (files:write); screenshots on the cards of threat events (files:read, files:write)',
  )
})
