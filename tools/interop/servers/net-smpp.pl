#!/usr/bin/perl
# An SMSC on Perl's Net::SMPP (Debian: libnet-smpp-perl). It prints one JSON object a line for everything that it
# decoded, and does what the end of a destination asks for; tools/interop/proofs.ts has the endings.
use strict;
use warnings;
use JSON::PP;
use Net::SMPP;

$| = 1;
$SIG{CHLD} = 'IGNORE';
my $json = JSON::PP->new->canonical;
my $listener = Net::SMPP->new_listen('127.0.0.1', port => 0) or die "cannot listen: $!";
tell_of({ event => 'listening', port => $listener->sockport });

while (1) {
    my $session = $listener->accept or next;
    my $pid = fork;
    die "cannot fork: $!" unless defined $pid;
    if ($pid == 0) {
        serve($session);
        exit 0;
    }
    close $session;
}

sub tell_of { print $json->encode($_[0]), "\n"; }

sub serve {
    my ($session) = @_;
    while (my $pdu = $session->read_pdu) {
        my $command = $pdu->{known_pdu} ? Net::SMPP::pdu_tab->{ $pdu->{cmd} }{cmd} : "unknown_$pdu->{cmd}";
        if ($command =~ /^bind_/) { bind_session($session, $pdu, $command); }
        elsif ($command eq 'submit_sm') { submit($session, $pdu); }
        elsif ($command eq 'enquire_link') { $session->enquire_link_resp(seq => $pdu->{seq}); tell_of({ event => $command }); }
        elsif ($command eq 'unbind') { $session->unbind_resp(seq => $pdu->{seq}); tell_of({ event => $command }); return; }
        else { tell_of({ event => $command, status => $pdu->{status}, seq => $pdu->{seq} }); }
    }
}

sub bind_session {
    my ($session, $pdu, $command) = @_;
    my $status = $pdu->{password} eq 'wrong' ? 0x0e : 0;
    tell_of({ event => $command, map { $_ => $pdu->{$_} } qw(system_id password system_type interface_version address_range) });
    my $respond = "${command}_resp";
    $session->$respond(seq => $pdu->{seq}, status => $status, system_id => 'net-smpp');
}

sub submit {
    my ($session, $pdu) = @_;
    my $to = $pdu->{destination_addr};
    my $numbers = sub { my ($name, $form) = @_; defined $pdu->{$name} ? unpack($form, $pdu->{$name}) : undef };
    tell_of({
        event => 'submit_sm',
        (map { $_ => $pdu->{$_} } qw(source_addr_ton source_addr_npi source_addr dest_addr_ton dest_addr_npi destination_addr
            esm_class data_coding registered_delivery validity_period service_type)),
        short_message => unpack('H*', $pdu->{short_message}),
        message_payload => defined $pdu->{message_payload} ? unpack('H*', $pdu->{message_payload}) : undef,
        user_message_reference => $numbers->('user_message_reference', 'n'),
        sar_msg_ref_num => $numbers->('sar_msg_ref_num', 'n'),
        sar_total_segments => $numbers->('sar_total_segments', 'C'),
        sar_segment_seqnum => $numbers->('sar_segment_seqnum', 'C'),
    });
    return $session->submit_sm_resp(seq => $pdu->{seq}, status => 0x58, message_id => '') if $to =~ /058$/;
    return $session->submit_sm_resp(seq => $pdu->{seq}, status => 0x0b, message_id => '') if $to =~ /011$/;
    $session->submit_sm_resp(seq => $pdu->{seq}, message_id => "PL$pdu->{seq}");
    my @back = (source_addr_ton => 1, source_addr_npi => 1, source_addr => $to, destination_addr => $pdu->{source_addr},
        esm_class => 4, async => 1);
    if ($to =~ /103$/) {
        $session->data_sm(@back, receipted_message_id => "PL$pdu->{seq}\0", message_state => pack('C', 5));
    }
    elsif ($to =~ /104$/) {
        $session->deliver_sm(@back,
            short_message => "id:PL$pdu->{seq} sub:001 dlvrd:001 submit date:2401011200 done date:2401011200 stat:DELIVRD err:000 text:");
    }
    elsif ($to =~ /106$/) { $session->unbind(async => 1); }
    elsif ($to =~ /115$/) { $session->enquire_link(async => 1); }
}
