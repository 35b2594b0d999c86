#!/usr/bin/env bash
# What scripts of operators do: sign in, make a company and a machine account, take its token, look after the health.
# They read JSON by its spaces with grep, and let curl name the body a form.
# Usage: installer.sh install URL EMAIL PASSWORD NAME | installer.sh health URL EMAIL PASSWORD
set -euo pipefail

# The answer of a call; ends with the answer on standard error when it is an error.
ask() {
  local answer first
  answer=$(curl --silent --show-error --max-time 30 "$@")
  read -r first _ <<<"$answer"
  if [ "$first" = '{"error_code":' ]; then
    echo "$answer" >&2
    return 1
  fi
  printf '%s\n' "$answer"
}

# The text of a key, taken out of an answer by the spacing that it has always had.
field() { grep -o "\"$1\": \"[^\"]*\"" | head -n 1 | cut -d '"' -f 4; }

sign_in() {
  local answer
  answer=$(ask -X POST "$url/api/authorize/auth" \
    -d "{\"credentials\": {\"email\": \"$email\", \"password\": \"$password\"}}")
  # An installer of old looks for signs of this kind after the space.
  grep -q '"access_token": "[0-9a-z]\+' <<<"$answer"
  field access_token <<<"$answer"
}

install() {
  local name=$1 token company user service
  token=$(sign_in)
  company=$(ask -H "X-Forensic-Access-Token: $token" -X POST "$url/api/companies/" \
    -d "{\"name\": \"$name\"}" | field company_id)
  user=$(ask -H "X-Forensic-Access-Token: $token" -X POST "$url/api/users/" \
    -d "{\"credentials\": {\"email\": \"$name@vivace.test\", \"password\": \"$password\"},
         \"profile\": {\"company_id\": \"$company\", \"user_type\": \"CLIENT_SERVICE\",
                       \"first_name\": \"Web\", \"last_name\": \"Adapter\"}}" | field user_id)
  service=$(ask -H "X-Forensic-Access-Token: $token" "$url/api/authorize/service_token/$user" |
    field access_token)
  ask -H "X-Forensic-Access-Token: $service" "$url/api/folders/" >/dev/null
  echo "$service"
}

health() {
  sign_in >/dev/null
  ask "$url/api/version" | grep -q '"core": "'
  ask "$url/api/healthcheck/" | grep -q '^{"status": "ok"'
  echo healthy
}

action=$1 url=$2 email=$3 password=$4
shift 4
"$action" "$@"
