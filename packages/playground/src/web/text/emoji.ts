/** The names that people and apps use most; a name that is not here stays text. */
const TABLE = `
+1 👍|-1 👎|100 💯|alarm_clock ⏰|arrow_down ⬇️|arrow_left ⬅️|arrow_right ➡️|arrow_up ⬆️|arrows_counterclockwise 🔄
ballot_box_with_check ☑️|bar_chart 📊|bell 🔔|no_bell 🔕|black_circle ⚫|white_circle ⚪|blue_book 📘|bookmark 🔖|boom 💥
bug 🐛|building_construction 🏗️|bulb 💡|calendar 📆|date 📅|checkered_flag 🏁|chart_with_upwards_trend 📈
chart_with_downwards_trend 📉|clap 👏|clipboard 📋|clock1 🕐|closed_lock_with_key 🔐|lock 🔒|unlock 🔓|key 🔑|cloud ☁️
computer 💻|construction 🚧|credit_card 💳|cry 😢|dart 🎯|e-mail 📧|email ✉️|envelope ✉️|exclamation ❗|eye 👁️|eyes 👀
file_folder 📁|fire 🔥|flag-eu 🇪🇺|gear ⚙️|globe_with_meridians 🌐|grey_exclamation ❕|grey_question ❔|handshake 🤝|hammer 🔨
hammer_and_wrench 🛠️|heart ❤️|heavy_check_mark ✔️|heavy_minus_sign ➖|heavy_plus_sign ➕|hourglass ⌛
hourglass_flowing_sand ⏳|house 🏠|inbox_tray 📥|outbox_tray 📤|information_source ℹ️|joy 😂|label 🏷️|large_blue_circle 🔵
large_green_circle 🟢|large_orange_circle 🟠|large_red_square 🟥|large_green_square 🟩|large_yellow_circle 🟡|large_yellow_square 🟨
large_purple_circle 🟣|link 🔗|loudspeaker 📢|mag 🔍|mailbox 📫|memo 📝|pencil 📝|pencil2 ✏️|mute 🔇|speaker 🔈|no_entry ⛔
no_entry_sign 🚫|ok ✔️|ok_hand 👌|package 📦|page_facing_up 📄|paperclip 📎|party_popper 🎉|tada 🎉|pause_button ⏸️
double_vertical_bar ⏸️|arrow_forward ▶️|pray 🙏|pushpin 📌|question ❓|raised_hands 🙌|receipt 🧾|red_circle 🔴
repeat 🔁|robot_face 🤖|rocket 🚀|rotating_light 🚨|satellite 🛰️|satellite_antenna 📡|scream 😱|scroll 📜|shield 🛡️
shrug 🤷|skull 💀|slightly_smiling_face 🙂|smile 😄|smiley 😃|sob 😭|sos 🆘|sparkles ✨|star ⭐|stop_sign 🛑|octagonal_sign 🛑
stopwatch ⏱️|sunny ☀️|sunglasses 😎|thinking_face 🤔|thumbsup 👍|thumbsdown 👎|ticket 🎫|traffic_light 🚦
vertical_traffic_light 🚦|triangular_flag_on_post 🚩|trophy 🏆|warning ⚠️|wastebasket 🗑️|watch ⌚|wave 👋|white_check_mark ✅
wink 😉|wrench 🔧|x ❌|negative_squared_cross_mark ❎|zap ⚡|zzz 💤|identification_card 🪪|ledger 📒|books 📚|bust_in_silhouette 👤
busts_in_silhouette 👥|office 🏢|crown 👑|test_tube 🧪|passport_control 🛂|detective 🕵️|fish 🐟|small_red_triangle 🔺
small_red_triangle_down 🔻|small_blue_diamond 🔹|small_orange_diamond 🔸|black_small_square ▪️|white_small_square ▫️
`

export const EMOJI: Readonly<Record<string, string>> = Object.fromEntries(
  TABLE.trim()
    .split(/[|\n]/)
    .map((entry) => {
      const space = entry.indexOf(' ')
      return [entry.slice(0, space), entry.slice(space + 1)] as const
    }),
)
