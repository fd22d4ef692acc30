/*
 * An SMSC on libsmpp34, the C library of osmo-msc (Debian: libsmpp34-dev). It prints one JSON object a line for
 * everything that it decoded, and does what the end of a destination asks for; tools/interop/proofs.ts has the endings.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <libsmpp34/smpp34.h>
#include <libsmpp34/smpp34_structs.h>
#include <libsmpp34/smpp34_params.h>

extern int smpp34_pack(uint32_t type, uint8_t *bytes, int size, int *octets, void *pdu);
extern int smpp34_unpack(uint32_t type, void *pdu, const uint8_t *bytes, int octets);

#define PDU_OCTETS_MAX 70000
static uint8_t bytes[PDU_OCTETS_MAX];
static uint32_t own_sequence = 0;

static int read_octets(int fd, uint8_t *into, int wanted) {
  int held = 0;
  while (held < wanted) {
    int got = read(fd, into + held, wanted - held);
    if (got <= 0) return 0;
    held += got;
  }
  return 1;
}

static void send_pdu(int fd, uint32_t type, void *pdu) {
  uint8_t out[4096];
  int octets = 0;
  if (smpp34_pack(type, out, sizeof out, &octets, pdu) != 0) {
    fprintf(stderr, "cannot pack 0x%08x: %s\n", type, smpp34_strerror);
    return;
  }
  if (write(fd, out, octets) != octets) fprintf(stderr, "cannot write\n");
}

/* All PDUs begin with the same four fields, and some have no more. */
static void send_header(int fd, uint32_t type, uint32_t status, uint32_t sequence) {
  unbind_t pdu;
  memset(&pdu, 0, sizeof pdu);
  pdu.command_id = type;
  pdu.command_status = status;
  pdu.sequence_number = sequence;
  send_pdu(fd, type, &pdu);
}

static void print_hex(const char *name, const uint8_t *value, int octets) {
  printf(",\"%s\":\"", name);
  for (int at = 0; at < octets; at++) printf("%02x", value[at]);
  printf("\"");
}

static tlv_t *parameter(uint16_t tag, uint16_t length) {
  static tlv_t tlv;
  memset(&tlv, 0, sizeof tlv);
  tlv.tag = tag;
  tlv.length = length;
  return &tlv;
}

static int ends_with(const uint8_t *text, const char *end) {
  size_t octets = strlen((const char *)text);
  return octets >= strlen(end) && strcmp((const char *)text + octets - strlen(end), end) == 0;
}

static void print_submit(submit_sm_t *submit) {
  printf("{\"event\":\"submit_sm\",\"source_addr_ton\":%d,\"source_addr_npi\":%d,\"source_addr\":\"%s\"", submit->source_addr_ton,
         submit->source_addr_npi, submit->source_addr);
  printf(",\"dest_addr_ton\":%d,\"dest_addr_npi\":%d,\"destination_addr\":\"%s\",\"service_type\":\"%s\"", submit->dest_addr_ton,
         submit->dest_addr_npi, submit->destination_addr, submit->service_type);
  printf(",\"esm_class\":%d,\"data_coding\":%d,\"registered_delivery\":%d,\"validity_period\":\"%s\"", submit->esm_class,
         submit->data_coding, submit->registered_delivery, submit->validity_period);
  print_hex("short_message", submit->short_message, submit->sm_length);
  tlv_t *tlv;
  smpp34_tlv_for_each(tlv, submit->tlv) {
    if (tlv->tag == TLVID_message_payload) print_hex("message_payload", tlv->value.octet, tlv->length);
    else if (tlv->tag == TLVID_user_message_reference) printf(",\"user_message_reference\":%d", tlv->value.val16);
    else if (tlv->tag == TLVID_sar_msg_ref_num) printf(",\"sar_msg_ref_num\":%d", tlv->value.val16);
    else if (tlv->tag == TLVID_sar_total_segments) printf(",\"sar_total_segments\":%d", tlv->value.val08);
    else if (tlv->tag == TLVID_sar_segment_seqnum) printf(",\"sar_segment_seqnum\":%d", tlv->value.val08);
  }
  printf("}\n");
}

static void report_by_data_sm(int fd, submit_sm_t *submit, const char *id) {
  data_sm_t report;
  memset(&report, 0, sizeof report);
  report.command_id = DATA_SM;
  report.sequence_number = ++own_sequence;
  report.source_addr_ton = report.source_addr_npi = 1;
  strcpy((char *)report.source_addr, (char *)submit->destination_addr);
  report.esm_class = 4;
  tlv_t *tlv = parameter(TLVID_message_state, 1);
  tlv->value.val08 = 5;
  build_tlv(&report.tlv, tlv);
  tlv = parameter(TLVID_receipted_message_id, strlen(id) + 1);
  strcpy((char *)tlv->value.octet, id);
  build_tlv(&report.tlv, tlv);
  send_pdu(fd, DATA_SM, &report);
  destroy_tlv(report.tlv);
}

static void report_by_deliver_sm(int fd, submit_sm_t *submit, const char *id) {
  deliver_sm_t report;
  memset(&report, 0, sizeof report);
  report.command_id = DELIVER_SM;
  report.sequence_number = ++own_sequence;
  report.source_addr_ton = report.source_addr_npi = 1;
  strcpy((char *)report.source_addr, (char *)submit->destination_addr);
  report.esm_class = 4;
  report.sm_length = snprintf((char *)report.short_message, sizeof report.short_message,
                              "id:%s sub:001 dlvrd:001 submit date:2401011200 done date:2401011200 stat:DELIVRD err:000 text:", id);
  send_pdu(fd, DELIVER_SM, &report);
}

static void answer_submit(int fd, submit_sm_t *submit) {
  const uint8_t *to = submit->destination_addr;
  submit_sm_resp_t answer;
  memset(&answer, 0, sizeof answer);
  answer.command_id = SUBMIT_SM_RESP;
  answer.sequence_number = submit->sequence_number;
  answer.command_status = ends_with(to, "058") ? ESME_RTHROTTLED : ends_with(to, "011") ? ESME_RINVDSTADR : ESME_ROK;
  if (answer.command_status == ESME_ROK) snprintf((char *)answer.message_id, sizeof answer.message_id, "C%X", submit->sequence_number);
  send_pdu(fd, SUBMIT_SM_RESP, &answer);
  if (ends_with(to, "103")) report_by_data_sm(fd, submit, (char *)answer.message_id);
  else if (ends_with(to, "104")) report_by_deliver_sm(fd, submit, (char *)answer.message_id);
  else if (ends_with(to, "106")) send_header(fd, UNBIND, 0, ++own_sequence);
  else if (ends_with(to, "115")) send_header(fd, ENQUIRE_LINK, 0, ++own_sequence);
}

/* The three binds have the same fields in the same order. */
static void answer_bind(int fd, uint32_t type, const char *event, bind_transceiver_t *bind) {
  printf("{\"event\":\"%s\",\"system_id\":\"%s\",\"password\":\"%s\",\"system_type\":\"%s\",\"interface_version\":%d,"
         "\"address_range\":\"%s\"}\n", event, bind->system_id, bind->password, bind->system_type, bind->interface_version,
         bind->address_range);
  bind_transceiver_resp_t answer;
  memset(&answer, 0, sizeof answer);
  answer.command_id = type | 0x80000000;
  answer.sequence_number = bind->sequence_number;
  answer.command_status = strcmp((char *)bind->password, "wrong") == 0 ? ESME_RINVPASWD : ESME_ROK;
  strcpy((char *)answer.system_id, "libsmpp34");
  tlv_t *tlv = parameter(TLVID_sc_interface_version, 1);
  tlv->value.val08 = SMPP_VERSION;
  build_tlv(&answer.tlv, tlv);
  send_pdu(fd, answer.command_id, &answer);
  destroy_tlv(answer.tlv);
}

#define DECODE(type, pdu) \
  memset(&(pdu), 0, sizeof(pdu)); \
  if (smpp34_unpack(type, &(pdu), bytes, octets) != 0) { \
    printf("{\"event\":\"undecodable\",\"type\":%u,\"reason\":\"%d\"}\n", type, smpp34_errno); \
    fprintf(stderr, "cannot unpack 0x%08x: %s\n", type, smpp34_strerror); \
    send_header(fd, GENERIC_NACK, ESME_RSYSERR, sequence); \
    return 1; \
  }

/* Returns 0 when the session is over. */
static int handle(int fd, int octets) {
  uint32_t head[4];
  memcpy(head, bytes, sizeof head);
  uint32_t type = ntohl(head[1]), status = ntohl(head[2]), sequence = ntohl(head[3]);
  bind_transceiver_t bind;
  submit_sm_t submit;
  deliver_sm_resp_t delivered;
  data_sm_resp_t taken;
  unbind_t plain;
  switch (type) {
    case BIND_TRANSCEIVER: DECODE(type, bind) answer_bind(fd, type, "bind_transceiver", &bind); return 1;
    case BIND_TRANSMITTER: DECODE(type, bind) answer_bind(fd, type, "bind_transmitter", &bind); return 1;
    case BIND_RECEIVER: DECODE(type, bind) answer_bind(fd, type, "bind_receiver", &bind); return 1;
    case SUBMIT_SM:
      DECODE(type, submit)
      print_submit(&submit);
      answer_submit(fd, &submit);
      destroy_tlv(submit.tlv);
      return 1;
    case DELIVER_SM_RESP: DECODE(type, delivered) printf("{\"event\":\"deliver_sm_resp\",\"status\":%u}\n", status); return 1;
    case DATA_SM_RESP: DECODE(type, taken) printf("{\"event\":\"data_sm_resp\",\"status\":%u}\n", status); return 1;
    case ENQUIRE_LINK:
      DECODE(type, plain)
      send_header(fd, ENQUIRE_LINK_RESP, 0, sequence);
      printf("{\"event\":\"enquire_link\"}\n");
      return 1;
    case ENQUIRE_LINK_RESP: DECODE(type, plain) printf("{\"event\":\"enquire_link_resp\"}\n"); return 1;
    case UNBIND:
      DECODE(type, plain)
      send_header(fd, UNBIND_RESP, 0, sequence);
      printf("{\"event\":\"unbind\"}\n");
      return 0;
    case UNBIND_RESP: return 0;
    default: printf("{\"event\":\"unknown\",\"type\":%u}\n", type); return 1;
  }
}

static void serve(int fd) {
  while (read_octets(fd, bytes, 4)) {
    uint32_t length;
    memcpy(&length, bytes, 4);
    length = ntohl(length);
    if (length < 16 || length > sizeof bytes || !read_octets(fd, bytes + 4, length - 4)) return;
    if (!handle(fd, length)) return;
  }
}

int main(void) {
  signal(SIGCHLD, SIG_IGN);
  setvbuf(stdout, NULL, _IOLBF, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t octets = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(listener, (struct sockaddr *)&address, octets) != 0 || listen(listener, 16) != 0) return 1;
  getsockname(listener, (struct sockaddr *)&address, &octets);
  printf("{\"event\":\"listening\",\"port\":%d}\n", ntohs(address.sin_port));
  for (;;) {
    int fd = accept(listener, NULL, NULL);
    if (fd < 0) continue;
    if (fork() == 0) {
      serve(fd);
      exit(0);
    }
    close(fd);
  }
}
