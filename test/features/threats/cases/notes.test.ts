import { expect, it } from 'vitest'
import { ID, readAuditLines, startWorldWithThreat } from '../world.ts'

it('a case keeps notes and to whom a takedown request went, but not in a channel without names', async () => {
  await using world = await startWorldWithThreat()
  const { member, admin } = world.slack
  await member.command('/threat', `note ${ID} too early`, {
    until: 'Nobody has taken this threat event yet.',
  })
  await member.command('/threat', `take ${ID}`, { until: 'This case is yours now.' })
  const note = 'Registrar called back, INC-431, see https://exa.mple/'
  await member.command('/threat', `note ${ID} ${note}`, { until: 'Note added.' })
  await member.command('/threat', `takedown-sent ${ID} --to "Example Registrar" --ticket T-99`, {
    until: 'Recorded that the takedown request was sent.',
  })
  const { text } = await member.command('/threat', `case ${ID}`, { until: 'INC-431' })
  expect(text).toMatch(/Note, says .+: Registrar called back, INC-431, see hxxps:\/\/exa\[\.\]mple\//)
  expect(text).toMatch(/Takedown sent, says .+: to Example Registrar, ticket T-99/)
  const readChannel = async () => JSON.stringify(await admin.messages('C0GENERAL1'))
  await expect.poll(readChannel).toContain('Takedown sent')
  expect(await readChannel()).not.toMatch(/INC-431|T-99|Example Registrar,/)
  const tooLong = await member.command('/threat', `note ${ID} ${'x'.repeat(501)}`, { until: 'up to 500' })
  expect(tooLong.text).toContain('This one has 501, so it wasn’t saved.')
  expect(await readAuditLines(world)).toContain(`/threat note: threat event ${ID}: done`)
})

it('to whom a takedown request went and the ticket can be typed as words', async () => {
  await using world = await startWorldWithThreat()
  const { member } = world.slack
  await member.command('/threat', `take ${ID}`, { until: 'This case is yours now.' })
  await member.command('/threat', `takedown sent ${ID} to abuse@registrar.example ticket OP-1279475`, {
    until: 'Recorded that the takedown request was sent.',
  })
  const { text } = await member.command('/threat', `case ${ID}`, { until: 'OP-1279475' })
  expect(text).toMatch(/Takedown sent, says .+: to abuse\[@\]registrar\[\.\]example, ticket OP-1279475/)
  expect((await member.command('/threat', `reopen ${ID} now`)).text).toContain(
    '“now” isn’t a threat event ID',
  )
})

it('a recipient and a ticket that were typed too late can be added as a note', async () => {
  await using world = await startWorldWithThreat()
  const { member } = world.slack
  const sent = await member.command(
    '/threat',
    `takedown-sent ${ID} --to abuse@registrar.example --ticket 1`,
    {
      until: 'Recorded that the takedown request was sent.',
    },
  )
  expect(sent.text).not.toContain('as a note')
  const again = await member.command('/threat', `takedown-sent ${ID} --to abuse@host.example --ticket 2`, {
    until: 'can’t be marked as sent now',
  })
  const { text } = await member.click(again.message, 'Add as a note', { until: 'Note added.' })
  expect(text).toMatch(/Note, says .+: to abuse\[@\]host\[\.\]example, ticket 2/)
})
