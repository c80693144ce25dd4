// An app in Go without libraries. It verifies the signatures of requests, and calls the Web API at SLACK_API_URL.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"
)

func sign(text string) string {
	mac := hmac.New(sha256.New, []byte(os.Getenv("SLACK_SIGNING_SECRET")))
	mac.Write([]byte(text))
	return "v0=" + hex.EncodeToString(mac.Sum(nil))
}

func say(channel, text string) {
	body := url.Values{"channel": {channel}, "text": {text}}.Encode()
	call, _ := http.NewRequest("POST", os.Getenv("SLACK_API_URL")+"chat.postMessage", strings.NewReader(body))
	call.Header.Set("authorization", "Bearer "+os.Getenv("SLACK_BOT_TOKEN"))
	call.Header.Set("content-type", "application/x-www-form-urlencoded")
	answer, err := http.DefaultClient.Do(call)
	if err != nil {
		log.Fatal(err)
	}
	answer.Body.Close()
}

func main() {
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			signed := sign("v0:" + r.Header.Get("x-slack-request-timestamp") + ":" + string(body))
			form, _ := url.ParseQuery(string(body))
			if !hmac.Equal([]byte(signed), []byte(r.Header.Get("x-slack-signature"))) {
				w.WriteHeader(401)
			} else if form.Get("command") != "" {
				go say(form.Get("channel_id"), "In Go: "+form.Get("text"))
			}
		})))
}
