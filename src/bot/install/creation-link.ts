/**
 * nginx, Apache and several load balancers refuse a request line over 8 KB unless told otherwise; browsers take more. What Slack's own
 * servers take isn't documented.
 */
const MOST_CHARACTERS = 8000

/** Legal in a query as they are (RFC 3986, section 3.4); Slack's own links write a space as a plus sign. */
const PLAIN: Readonly<Record<string, string>> = { '%2C': ',', '%3A': ':', '%2F': '/', '%40': '@', '%20': '+' }

/**
 * The address at which Slack makes an app with this manifest filled in; undefined where it would be too long.
 * (https://docs.slack.dev/app-manifests/configuring-apps-with-app-manifests, "Sharing manifests", November 2026)
 */
export function creationLink(manifest: object): string | undefined {
  const encoded = encodeURIComponent(JSON.stringify(manifest)).replace(
    /%(?:2C|3A|2F|40|20)/g,
    (code) => PLAIN[code] ?? code,
  )
  const link = `https://api.slack.com/apps?new_app=1&manifest_json=${encoded}`
  return link.length > MOST_CHARACTERS ? undefined : link
}
