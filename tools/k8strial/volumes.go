package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"time"
)

const (
	storageClass = "everystate-trial"
	provisioner  = "everystate.example/trial"
)

type claim struct {
	Metadata struct{ Name, Namespace, UID string }
	Spec     struct {
		StorageClassName *string
		VolumeName       string
		AccessModes      []string
		Resources        struct{ Requests map[string]string }
	}
	Status struct{ Phase string }
}

type volume struct {
	Metadata struct {
		Name        string
		Annotations map[string]string
	}
	Spec   struct{ Local *struct{ Path string } }
	Status struct{ Phase string }
}

// provision does for claims of the trial's storage class what a provisioner of disks
// on a network does: a claim gets a volume of its own, an empty folder that both
// nodes reach, and a volume whose claim has been deleted is deleted with its data.
func (t *trial) provision(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		if err := errors.Join(t.provisionClaims(ctx), t.deleteVolumes(ctx)); err != nil && ctx.Err() == nil {
			say("volumes: %v", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (t *trial) provisionClaims(ctx context.Context) error {
	var list struct{ Items []claim }
	if err := t.api.do(ctx, http.MethodGet, "/api/v1/persistentvolumeclaims", nil, &list); err != nil {
		return err
	}
	for _, c := range list.Items {
		if c.Status.Phase != "Pending" || c.Spec.VolumeName != "" || c.Spec.StorageClassName == nil || *c.Spec.StorageClassName != storageClass {
			continue
		}
		name := "volume-" + c.Metadata.UID
		dir := t.work + "/volumes/" + name
		// Of root: the kubelet hands it to the group that the pod asks for.
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		err := t.api.do(ctx, http.MethodPost, "/api/v1/persistentvolumes", map[string]any{
			"apiVersion": "v1", "kind": "PersistentVolume",
			"metadata": map[string]any{"name": name, "annotations": map[string]string{"pv.kubernetes.io/provisioned-by": provisioner}},
			"spec": map[string]any{
				"capacity": c.Spec.Resources.Requests, "accessModes": c.Spec.AccessModes, "storageClassName": storageClass,
				"persistentVolumeReclaimPolicy": "Delete", "local": map[string]string{"path": dir},
				"claimRef": map[string]string{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": c.Metadata.Namespace, "name": c.Metadata.Name, "uid": c.Metadata.UID},
				"nodeAffinity": map[string]any{"required": map[string]any{"nodeSelectorTerms": []any{map[string]any{"matchExpressions": []any{
					map[string]any{"key": "kubernetes.io/os", "operator": "In", "values": []string{"linux"}},
				}}}}},
			},
		}, nil)
		var e errStatus
		if err != nil && (!errors.As(err, &e) || e.code != http.StatusConflict) {
			return err
		}
	}
	return nil
}

func (t *trial) deleteVolumes(ctx context.Context) error {
	var list struct{ Items []volume }
	if err := t.api.do(ctx, http.MethodGet, "/api/v1/persistentvolumes", nil, &list); err != nil {
		return err
	}
	for _, v := range list.Items {
		if v.Status.Phase != "Released" || v.Metadata.Annotations["pv.kubernetes.io/provisioned-by"] != provisioner || v.Spec.Local == nil {
			continue
		}
		if err := os.RemoveAll(v.Spec.Local.Path); err != nil {
			return err
		}
		if err := t.api.do(ctx, http.MethodDelete, "/api/v1/persistentvolumes/"+v.Metadata.Name, nil, nil); err != nil {
			return err
		}
		say("the data of %s is deleted", v.Metadata.Name)
	}
	return nil
}
