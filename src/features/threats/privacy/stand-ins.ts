/** Words that registrars write instead of a person. A name made only of these names nobody, and may be shown. */
export const STAND_IN = new Set(
  (
    'redacted for privacy private person registration registrant service services protect protected protection proxy ' +
    'domains domain by whois whoisguard guard withheld not disclosed undisclosed available data masked hidden statutory ' +
    'masking enabled gdpr owner contact inc llc ltd ehf limited customer id of the provided identity anonymous name na'
  ).split(' '),
)

export function isStandIn(name: string | undefined): boolean {
  const said = (name ?? '').toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return said.length > 0 && said.every((word) => STAND_IN.has(word))
}
