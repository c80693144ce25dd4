/** Characters that a query may contain without encoding (RFC 3986, section 3.4). Slack's own links write a space as a plus sign. */
const UNENCODED: Readonly<Record<string, string>> = {
  '%2C': ',',
  '%3A': ':',
  '%2F': '/',
  '%40': '@',
  '%20': '+',
}

/**
 * Builds a link that opens Slack's page for a new app with this manifest filled in: about 4 KB, which proxies and browsers accept.
 * (https://docs.slack.dev/app-manifests/configuring-apps-with-app-manifests, "Sharing manifests", November 2026)
 */
export function creationLink(manifest: object): string {
  const encoded = encodeURIComponent(JSON.stringify(manifest)).replace(
    /%(?:2C|3A|2F|40|20)/g,
    (code) => UNENCODED[code] ?? code,
  )
  return `https://api.slack.com/apps?new_app=1&manifest_json=${encoded}`
}
