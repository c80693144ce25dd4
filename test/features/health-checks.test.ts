import { describe, expect, it } from 'vitest'
import { startWorld } from '../world.ts'

describe('/hc', () => {
  it('shows the counts and what is down first', async () => {
    await using world = await startWorld({
      checks: [
        { name: 'web', status: 'HEALTHY' },
        { name: 'mail', status: 'UNHEALTHY' },
      ],
    })
    const answer = await world.slack.member.command('/hc')
    expect(answer.text).toContain('Unhealthy: 1')
    expect(answer.text).toContain('Healthy: 1')
    expect(answer.message?.text).toContain('Unhealthy: mail')
    expect(answer.message?.ephemeral).toBe(true)
  })
})
